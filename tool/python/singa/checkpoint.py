"""Checkpoints of singa: folders step<N> with two safetensors files and a manifest. The README of
SINGA's folder proto has the formats."""
import collections.abc
import functools
import json
import math
import pathlib

# By the names of safetensors: numpy's name, and bytes of an element. SINGA writes F32, F64 and I64.
TYPES = {"F32": ("<f4", 4), "F64": ("<f8", 8), "I64": ("<i8", 8), "F16": ("<f2", 2),
         "I32": ("<i4", 4), "U8": ("|u1", 1)}
MOST_HEADER_BYTES = 100_000_000


class DamagedFile(Exception):
    """A file is not what its name says. The message has the file and what is wrong."""


class TensorFile(collections.abc.Mapping):
    """The tensors of a safetensors file, by name. A tensor is read when it is asked for."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        size = self.path.stat().st_size
        with open(self.path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > min(size - 8, MOST_HEADER_BYTES):
                raise DamagedFile(f"{path}: a header of {length} bytes in a file of {size} bytes")
            try:
                self._entries = json.loads(file.read(length))
                self._entries.pop("__metadata__", None)
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise DamagedFile(f"{path}: the header is no JSON object: {error}") from None
        self._begin = 8 + length
        for name in self._entries:
            self._check(name, size)

    def _check(self, name, size):
        try:
            entry = self._entries[name]
            shape, (begin, end) = entry["shape"], entry["data_offsets"]
            if entry["dtype"] not in TYPES:
                raise DamagedFile(f"{self.path}: {name}: type {entry['dtype']} is not one of "
                                  + ", ".join(TYPES))
            if not all(type(n) is int and n >= 0 for n in (*shape, begin, end)):
                raise ValueError(f"shape {shape}, data_offsets {[begin, end]}")
            wanted = math.prod(shape) * TYPES[entry["dtype"]][1]
            if end - begin != wanted or self._begin + end > size:
                raise DamagedFile(f"{self.path}: {name}: bytes {begin} to {end} of the data are "
                                  f"not the {wanted} bytes of the shape {shape}, or not there")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{self.path}: {name}: the header is wrong: {error!r}") from None

    def shape(self, name):
        return tuple(self._entries[name]["shape"])

    def raw(self, name):
        """Returns the bytes of a tensor: its elements in row-major order, little-endian."""
        begin, end = self._entries[name]["data_offsets"]
        with open(self.path, "rb") as file:
            file.seek(self._begin + begin)
            return file.read(end - begin)

    def __getitem__(self, name):
        """Returns a tensor as a numpy array of its own."""
        data = self.raw(name)
        import numpy
        dtype = TYPES[self._entries[name]["dtype"]][0]
        return numpy.frombuffer(data, dtype).reshape(self.shape(name)).copy()

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)


class Checkpoint:
    """A folder step<N>. `params` has the parameters by their names in job.conf; `state` what the
    updater and the readers remember. `singa ckpt verify` checks the sums that the manifest has."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        manifest = self.path / "manifest.json"
        try:
            self.manifest = json.loads(manifest.read_text(encoding="utf-8"))
            self.step = int(self.manifest["step"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFile(f"{manifest}: is no manifest: {error!r}") from None

    @functools.cached_property
    def params(self):
        return TensorFile(self.path / "model.safetensors")

    @functools.cached_property
    def state(self):
        return TensorFile(self.path / "state.safetensors")

    def __repr__(self):
        return f"Checkpoint({str(self.path)!r})"
