#!/usr/bin/env python3
"""Checks the house: includes follow the rooms' one way, folders of a room include each other in one
direction, files stay short, no banned folder names, all modules of whole-job checks run, threads are
started by StartThread, links of texts lead to files and headings, and no two headers define types of
one name, or inline functions of one name and the same parameters, which one program would mix up.

usage: check_house.py [ROOT]; prints each violation and exits 1 if there is any.
"""
import pathlib
import re
import sys

# A room includes itself and the rooms before it; io and comm do not see each other.
BEFORE = {"proto": [], "base": ["proto"]}
for room, after in [("tensor", "base"), ("math", "tensor"), ("io", "math"), ("comm", "math")]:
    BEFORE[room] = BEFORE[after] + [after]
BEFORE["nn"] = BEFORE["math"] + ["math", "io", "comm"]
for room, after in [("train", "nn"), ("cluster", "train"), ("driver", "cluster")]:
    BEFORE[room] = BEFORE[after] + [after]

# Rooms inside a room, lowest first: a file includes its own and lower ones; those of one line do not
# see each other. All files of such a room are in one of them.
INSIDE = {
    "comm": ["message", "codec", "collective security", "exchange transport"],
    "train": ["algorithm learning_rate initializer updater", "apply", "reduce", "device", "trainer",
              "state"],
    "cluster": ["protocol", "server client liveness", "process ranks", "workers"],
}
LEVEL = {(room, name): level for room, lines in INSIDE.items()
         for level, names in enumerate(lines) for name in names.split()}

BANNED = {"utils", "util", "common", "helper", "helpers", "misc"}
STARTS_THREADS = "src/base/thread/thread."
STARTED_THREAD = re.compile(r"std::j?thread(\s+\w+)?[({]")
MAX_LINES = 300
MAX_ROOT = 10  # files of a room that are in no folder of it
CODE = {".cc", ".h", ".cu", ".cuh", ".py", ".sh", ".cmake", ".js", ".css", ".html"}
TOP = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "include", "src", "proto",
       "examples", "conf", "test", "tool"}
TYPE = re.compile(r"(?:struct|class|enum(?: class)?) (?:alignas\(.*?\) |[A-Z_]+ )?(\w+)\b(?!;)")
INLINE = re.compile(
    r"^(?:\[\[\w+\]\] )?inline [^=;{}]*?([\w:]+)\(([^{};]*?)\)(?: const| noexcept)*\s*\{", re.MULTILINE)
SKIPPED = re.compile(r"(^|/)(build[^/]*|\.git|__pycache__|singa-[^/]*)(/|$)")


def room_of(path):
    """The room of a source file, from src/<room>/ or include/singa/<room>/; None outside them."""
    parts = path.parts
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ("include", "singa") and len(parts) > 3:
        return parts[2]
    return None


def included_room(line):
    match = re.match(r'\s*#include "(?:singa/)?(\w+)/', line)
    return match.group(1) if match else None


def inner_room(path):
    """(room, name) of src/<room>/<name>/; None where a room is not divided."""
    parts = path.parts
    if parts[0] != "src" or len(parts) < 3 or parts[1] not in INSIDE:
        return None
    return parts[1], parts[2] if len(parts) > 3 else ""


def check_inside(path, lines):
    here = inner_room(path)
    if here is None:
        return
    if here not in LEVEL:
        yield f"{path}: not in one of {here[0]}'s inner rooms"
        return
    for number, line in enumerate(lines, 1):
        match = re.match(rf'\s*#include "{here[0]}/(\w+)/', line)
        there = (here[0], match.group(1)) if match else here
        if there != here and LEVEL.get(there, len(LEVEL)) >= LEVEL[here]:
            yield f"{path}:{number}: {'/'.join(here)} must not include {'/'.join(there)}"


def check_file(root, path):
    room = room_of(path)
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    if len(lines) - 1 > MAX_LINES:
        yield f"{path}: {len(lines) - 1} lines, more than {MAX_LINES}"
    if room is None:
        return
    if room not in BEFORE:
        yield f"{path}: no room is called {room}"
        return
    yield from check_inside(path, lines)
    for number, line in enumerate(lines, 1):
        other = included_room(line)
        if other in BEFORE and other != room and other not in BEFORE[room]:
            yield f"{path}:{number}: {room} must not include {other}"
        if STARTED_THREAD.search(line) and not path.as_posix().startswith(STARTS_THREADS):
            yield f"{path}:{number}: StartThread must start the thread"


def check_roots(root):
    for room in BEFORE:
        files = [file for file in (root / "src" / room).glob("*") if file.is_file()]
        if len(files) > MAX_ROOT:
            yield f"src/{room}: {len(files)} files outside its folders, more than {MAX_ROOT}"


def folder_includes(root, room):
    """By folder of a room: the room's folders that its files include, each with one such include."""
    edges = {}
    for file in sorted((root / "src" / room).glob("*/**/*")):
        if file.suffix not in {".cc", ".h", ".cu", ".cuh"}:
            continue
        path = file.relative_to(root)
        here = path.parts[2]
        text = file.read_text(encoding="utf-8")
        for header, there in re.findall(rf'^#include "({room}/(\w+)/.*)"', text, re.MULTILINE):
            if there != here:
                edges.setdefault(here, {}).setdefault(there, f"{path} includes {header}")
    return edges


def shortest_way(edges, begin, end):
    """The folders from begin to end; None if no includes lead there."""
    ways = [[begin]]
    for way in ways:  # which grows meanwhile
        if way[-1] == end:
            return way
        seen = {folder for known in ways for folder in known}
        ways += [way + [folder] for folder in edges.get(way[-1], {}) if folder not in seen]
    return None


def check_circles(root):
    for room in BEFORE:
        edges = folder_includes(root, room)
        circles = {}  # by its folders
        for folder in edges:
            for included in edges[folder]:
                way = shortest_way(edges, included, folder)
                if way:
                    circles.setdefault(frozenset(way), [folder] + way)
        for circle in circles.values():
            includes = "; ".join(edges[a][b] for a, b in zip(circle, circle[1:]))
            yield f"src/{room}: folders include each other, {' -> '.join(circle)}: {includes}"


def check_types(root):
    headers = {}  # by type: where it is defined
    for pattern in ("include/**/*.h", "src/**/*.h", "src/**/*.cuh"):
        for file in root.glob(pattern):
            for line in file.read_text(encoding="utf-8").split("\n"):
                match = TYPE.match(line)
                if match:
                    headers.setdefault(match.group(1), set()).add(file.relative_to(root).as_posix())
    for name, places in sorted(headers.items()):
        if len(places) > 1:
            yield f"{', '.join(sorted(places))}: each defines a type {name}"


def parameter_types(parameters):
    """The types of `const A& a, int b = 0`, as text: without names and default values."""
    types = [re.sub(r"\s*=.*", "", one).strip() for one in parameters.split(",")]
    return ", ".join(re.sub(r"(?<=[\s&*>])\w+$", "", one).strip() for one in types)


def check_inline_functions(root):
    headers = {}  # by function: where it is defined
    for pattern in ("include/**/*.h", "src/**/*.h", "src/**/*.cuh", "test/support/**/*.h"):
        for file in root.glob(pattern):
            text = file.read_text(encoding="utf-8")
            spaces = ",".join(re.findall(r"^namespace ([\w:]+)", text, re.MULTILINE))
            for name, parameters in INLINE.findall(text):
                function = (spaces, f"{name}({parameter_types(parameters)})")
                headers.setdefault(function, set()).add(file.relative_to(root).as_posix())
    for (_, function), places in sorted(headers.items()):
        if len(places) > 1:
            yield f"{', '.join(sorted(places))}: each defines {function}"


def check_modules(root):
    """Finds modules of checks that no program imports, so that their checks never run."""
    folder = root / "test" / "system"
    imported = {name for file in folder.glob("*.py")
                for name in re.findall(r"^import (\w+)$", file.read_text(encoding="utf-8"), re.MULTILINE)}
    for file in sorted(folder.glob("*_checks.py")):
        if file.stem not in imported:
            yield f"test/system/{file.name}: no program imports it, so its checks never run"


def headings(text):
    """The names by which links reach the headings of a text."""
    lines = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def check_links(root):
    texts = {file.resolve(): file.read_text(encoding="utf-8") for file in root.rglob("*.md")
             if not SKIPPED.search(file.relative_to(root).as_posix())}
    names = {file: headings(text) for file, text in texts.items()}
    for file, text in sorted(texts.items()):
        for place, _, name in re.findall(r"\]\((?!\w+:)([^)\s#]*)(#?)([^)\s]*)\)", text):
            target = (file.parent / place).resolve() if place else file
            if not target.exists() or (name and name not in names.get(target, {name})):
                yield f"{file.relative_to(root)}: nothing is at the link {place}{'#' if name else ''}{name}"


def check(root):
    yield from check_roots(root)
    yield from check_circles(root)
    yield from check_links(root)
    yield from check_types(root)
    yield from check_inline_functions(root)
    yield from check_modules(root)
    for entry in sorted(root.iterdir()):
        if entry.name not in TOP and not entry.name.startswith(".") and not SKIPPED.search(entry.name):
            yield f"{entry.name}: not one of the top level's names"
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root)
        if SKIPPED.search(path.as_posix()):
            continue
        if file.is_dir() and path.name in BANNED:
            yield f"{path}: a folder says what it holds; {path.name} says nothing"
        if file.is_file() and (path.suffix in CODE or path.name == "CMakeLists.txt"):
            yield from check_file(root, path)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    violations = list(check(root))
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
