"""The command `singa` of the wheel: the program that lies in it takes the place of this process."""
import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).resolve().parent / "bundle" / "singa"
    os.execv(program, ["singa", *sys.argv[1:]])
