#!/usr/bin/env python3
"""Writes the pictures of two tasks from the tars of CIFAR-10.

usage: make_data.py CIFAR10 FOLDER
       CIFAR10  a folder with train.tar and test.tar, which have a folder of pictures for each class
       FOLDER   gets old_train.tar and old_test.tar, with all pictures of five classes, and
                new_train.tar and new_test.tar, of the five others: 200 of each to train, all to test
"""
import collections
import pathlib
import sys
import tarfile

OLD = {"airplane", "automobile", "bird", "cat", "deer"}
NEW = {"dog", "frog", "horse", "ship", "truck"}
ALL = 10 ** 6


def write(source, target, classes, most):
    """Copies the first `most` pictures of each class from a tar to another."""
    taken = collections.Counter()
    with tarfile.open(source) as have, \
            tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as to:
        for member in have:
            name = pathlib.PurePath(member.name).parent.name
            if member.isfile() and name in classes and taken[name] < most:
                taken[name] += 1
                to.addfile(member, have.extractfile(member))
    missing = classes - set(taken)
    if missing:
        sys.exit(f"make_data.py: {source} has no pictures of {', '.join(sorted(missing))}")
    print(f"{target}: {sum(taken.values())} pictures")


def main(cifar10, folder):
    cifar10, folder = pathlib.Path(cifar10), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for which in ("train", "test"):
        source = cifar10 / f"{which}.tar"
        if not source.is_file():
            sys.exit(f"make_data.py: there is no file {source}")
        write(source, folder / f"old_{which}.tar", OLD, ALL)
        write(source, folder / f"new_{which}.tar", NEW, 200 if which == "train" else ALL)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
