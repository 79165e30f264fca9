#!/usr/bin/env python3
"""Checks that one new file is enough for a new layer, updater, store, subcommand and the like.

usage: files_per_kind.py [ROOT]; prints each violation and exits 1 if there is any.

An implementation registers itself in its own file. No other file of src names its class, or the
function that makes it. Code outside its room does not use its registered name either;
NAMED_ELSEWHERE lists the places that may, and why.
"""
import pathlib
import re
import sys

# SINGA_REGISTER_x(name, class or function of the implementation, ...
REGISTERED = re.compile(r"^SINGA_REGISTER_(\w+)\((\w+),\s*([\w:]+)", re.MULTILINE)
RUN = re.compile(r"\.run = (\w+)\b(?!\()")  # of a subcommand
COMMENT = re.compile(r"//[^\n]*")
WORD = re.compile(r"\w+")
STRING = re.compile(r'R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)  # messages may name a type

# Each kind here has implementations of one file. The pattern finds the name of one in other code.
KINDS = {
    "LAYER": r"\b{0}\b",
    "UPDATER": r"\b{0}\b",
    "LEARNING_RATE": None,  # kStep and kFixed are enumerators of other things, too
    "INITIALIZER": None,  # PyTorch's defaults
    "ALGORITHM": None,  # an algorithm checks what others may not
    "CONSISTENCY": None,
    "CODEC": None,  # a job's codec is chosen by name
    "STORE": r'"{0}"',
    "STORE_WRITER": None,  # has the name of the store
    "METRICS_FORMAT": None,  # nobody names one
}
# At least one implementation of each kind must be found. So a renamed macro is noticed.
EXAMPLES = {"LAYER": "kReLU", "UPDATER": "kSGD", "STORE": "idx", "STORE_WRITER": "idx", "METRICS_FORMAT": "jsonl",
            "CODEC": "kNone",
            "LEARNING_RATE": "kFixed", "INITIALIZER": "kConstant"}

NAMED_ELSEWHERE = {
    "src/driver/conf/old_types.cc": {"LAYER"},  # what to write instead of an old name
    "src/driver/conf/scalar.cc": {"LAYER"},  # names that a conf may not have
    "src/driver/onnx/": {"LAYER"},  # how ONNX writes a layer
    # The graph inserts or pairs some layers, and some layers do the work of another.
    "src/nn/": {"LAYER"},
    "src/io/format/guess_backend.cc": {"STORE"},  # tells by content, in the order of certainty
    "src/io/format/": {"STORE"},  # writers have the names of stores
    # Layers have default stores, or one fixed store (SINGA 0.3).
    "src/nn/input/": {"STORE"}, "src/nn/output/": {"STORE"},
    "src/io/reader/row_decoder.cc": {"STORE"},  # mean files are of a format of their own
    "src/driver/onnx/input_export.cc": {"STORE"},
    "src/driver/command/": {"STORE"},  # -synthetic
    "src/driver/data/": {"STORE"},  # the format by default
    "src/driver/bench/": {"STORE"},
    "src/driver/new_job/": {"STORE"},  # the stores of jobs that it writes
}


def code_of(path):
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def thing_of(path):
    """Returns the thing that a file belongs to: one for idx_store.cc and idx_store.h."""
    return re.sub(r"(_(cudnn|onednn|openblas|cublas|nccl))?\.\w+$", "", pathlib.Path(path).name)


def may_name(kind, path):
    return any(path.startswith(place) and kind in kinds for place, kinds in NAMED_ELSEWHERE.items())


def violations(root):
    files = {file.relative_to(root).as_posix(): code_of(file)
             for folder in ("src", "include") for file in sorted((root / folder).rglob("*"))
             if file.suffix in (".cc", ".h", ".cu", ".cuh")}
    bare = {path: STRING.sub("", code) for path, code in files.items()}
    words = {path: set(WORD.findall(code)) for path, code in files.items()}
    things = {path: thing_of(path) for path in files}

    def others_with(name, home):
        """Returns the files of other things than `home` that have all words of the name."""
        wanted = set(WORD.findall(name))
        return [path for path in files if wanted <= words[path] and things[path] != things[home]]

    found = {kind: set() for kind in KINDS}
    commands = set()
    for home, code in files.items():
        for kind, name, made_by in REGISTERED.findall(code):
            if kind not in KINDS:
                continue
            found[kind].add(name)
            for path in others_with(made_by, home):
                if re.search(rf"\b{made_by}\b", files[path]):
                    yield f"{path}: names {made_by}, which {home} registers as {name}"
            for path in others_with(name, home) if KINDS[kind] else []:
                text = files[path] if kind == "STORE" else bare[path]
                if not may_name(kind, path) and re.search(KINDS[kind].format(name), text):
                    yield f"{path}: names {name}, which {home} registers"
        if "SINGA_REGISTER_SUBCOMMAND(" not in code or home.endswith("/subcommand.h"):
            continue
        commands.add(home)
        for run in RUN.findall(code):
            for path in others_with(run, home):
                if re.search(rf"\b{run}\b", files[path]):
                    yield f"{path}: names {run}, the subcommand of {home}"
    for kind, name in EXAMPLES.items():
        if name not in found[kind]:
            yield f"no {kind} is registered as {name}: this check no longer sees them"
    if "src/driver/command/version_command.cc" not in commands:
        yield "no subcommand registers itself in version_command.cc"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong = list(violations(root))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
