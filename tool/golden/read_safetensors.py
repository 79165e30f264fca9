#!/usr/bin/env python3
"""Prints what the safetensors library reads in FILE: name, dtype, shape and the SHA-256 of the bytes of
each tensor, a line each, sorted by name. test/io/checkpoint/python_test.cc compares it with what we wrote."""
import hashlib
import sys

from safetensors.numpy import load_file

for name, tensor in sorted(load_file(sys.argv[1]).items()):
    print(name, tensor.dtype, list(tensor.shape), hashlib.sha256(tensor.tobytes()).hexdigest())
