#!/usr/bin/env python3
"""Runs every command that README.md and the chapters of conf/guide show, as a reader would.

usage: guide_commands.py BINARY [WORD...]; WORDs choose the texts whose paths hold one of them.

The blocks of a text run in their order, in a temporary copy of the folders that commands name, with
BINARY as `singa` on PATH and as build/bin/singa. The first line of a block, or comments right above
it, say what the block is:

  ```sh                       commands, which must end with 0
  <!-- exit: N -->            the commands of the next block end with N
  <!-- file: NAME -->         the next block is the file NAME
  <!-- prints -->             each line of the next block is among the lines printed last
  <!-- not run: REASON -->    the next block is left out

Links to files of the repository, and to sections of texts, must lead somewhere.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["conf", "examples", "tool"]
LIMIT_S = 300  # ends commands that hang
BLOCK = re.compile(r"((?:^<!-- .*? -->\n)*)^```(\w*)\n(.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"^<!-- (exit|file|prints|not run)(?:: (.*?))? -->$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
INDENTED = re.compile(r"^ {4,}(singa|build/bin/singa|tool/|cmake|python3|export) .*$", re.M)


class Failure(Exception):
    pass


class Block:
    def __init__(self, comments, language, body, line):
        self.marks = {kind: value for kind, value in COMMENT.findall(comments)}
        self.language = language
        self.body = body
        self.line = line


def blocks_of(text):
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        yield Block(match[1], match[2], match[3], line)


def anchors(path):
    """Returns the names by which links reach the headings of a text, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def check_links(path, text):
    for target in LINK.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            raise Failure(f"a link leads to {target}, which is not there")
        if anchor and file.suffix == ".md" and anchor not in anchors(file):
            raise Failure(f"a link leads to {target}, but no heading there makes this anchor")


def prepare(folder, binary):
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("data"))
    (folder / "build").symlink_to(binary.parent.parent)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SINGA_", "OMP_"))}
    return environment | {"PATH": f"{binary.parent}:{environment['PATH']}"}


def run(block, folder, environment):
    """Runs the commands of a block. Returns the lines that they print."""
    done = subprocess.run(["bash", "-e", "-u", "-o", "pipefail", "-c", block.body], cwd=folder,
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=LIMIT_S, text=True, errors="replace")
    if done.returncode != int(block.marks.get("exit", 0)):
        raise Failure(f"line {block.line}: exit code {done.returncode} of\n{block.body}\n{done.stdout}")
    return done.stdout.splitlines()


def try_text(path, binary):
    """Returns the number of blocks that ran, and lines about those that did not."""
    text = path.read_text(encoding="utf-8")
    name, ran, told, printed = path.relative_to(ROOT), 0, [], []
    indented = INDENTED.search(text)
    if indented:
        raise Failure(f"a command stands outside a ```sh block: {indented[0].strip()}")
    check_links(path, text)
    with tempfile.TemporaryDirectory(prefix="singa-guide-") as temporary:
        folder = pathlib.Path(temporary)
        environment = prepare(folder, binary)
        for block in blocks_of(text):
            if "not run" in block.marks:
                told.append(f"LEFT OUT: {name}:{block.line}: {block.marks['not run']}")
            elif "file" in block.marks:
                (folder / block.marks["file"]).write_text(block.body, encoding="utf-8")
            elif "prints" in block.marks:
                for line in block.body.splitlines():
                    if line not in printed:
                        raise Failure(f"line {block.line}: not printed: {line}\nbut:\n"
                                      + "\n".join(printed))
            elif block.language == "sh":
                printed = run(block, folder, environment)
                ran += 1
    return ran, told


def main(binary, words):
    binary = pathlib.Path(binary).resolve()
    texts = [p for p in [ROOT / "README.md", *sorted((ROOT / "conf/guide").glob("*.md"))]
             if not words or any(word in p.relative_to(ROOT).as_posix() for word in words)]
    failed = 0

    def tried(path):
        start = time.monotonic()
        try:
            ran, told = try_text(path, binary)
            return True, told + [f"ok   {path.relative_to(ROOT)}: {ran} blocks in "
                                 f"{time.monotonic() - start:.0f} s"]
        except (Failure, subprocess.TimeoutExpired) as error:
            return False, [f"FAIL {path.relative_to(ROOT)}: {error}"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for good, lines in pool.map(tried, texts):
            print("\n".join(lines), flush=True)
            failed += not good
    print(f"{len(texts) - failed} of {len(texts)} texts passed")
    return 1 if failed or not texts else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
