"""Checks tool/launch/Containerfile without an engine: its instructions, the files that it copies,
and the names of its stages."""
import json
import re

from case import check, equal, true

INSTRUCTIONS = {"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK",
                "LABEL", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
STAGE = re.compile(r"([\w./-]+(?::[\w.-]+)?)(?: AS (\w+))?")


def instructions(text):
    """Returns (line, instruction, arguments) of each instruction."""
    found, begun, number = [], "", 0
    for at, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (not begun and not line.strip()):
            continue
        number = number if begun else at
        begun += line.rstrip("\\") if line.endswith("\\") else line
        if not line.endswith("\\"):
            word, _, arguments = begun.strip().partition(" ")
            found.append((number, word, arguments.strip()))
            begun = ""
    true(not begun, "the last instruction has no end")
    return found


def check_copy(root, arguments, stages, place):
    words = arguments.split()
    source = next((word[len("--from="):] for word in words if word.startswith("--from=")), None)
    files = [word for word in words if not word.startswith("--")]
    true(len(files) >= 2, f"{place}: names no source and destination")
    true(len(files) == 2 or files[-1].endswith("/"), f"{place}: several sources need a folder")
    if source is not None:
        true(source in stages, f"{place}: no stage before it is called {source}")
        return
    for file in files[:-1]:
        true(any(root.glob(file)), f"{place}: {file} is not in the repository")


def check_stage(arguments, stages, place):
    match = STAGE.fullmatch(arguments)
    true(match, f"{place}: {arguments!r} is no image with a name")
    true(match[1] in stages or ":" in match[1], f"{place}: the image has no tag")
    true(match[2] not in stages, f"{place}: two stages are called {match[2]}")
    stages.append(match[2] or str(len(stages)))


@check
def the_container_recipe_is_well_formed(case):
    root, stages = case.site.root, []
    found = instructions((root / "tool/launch/Containerfile").read_text(encoding="utf-8"))
    equal(found[0][1], "FROM", "the first instruction")
    for line, word, arguments in found:
        place = f"Containerfile:{line}: {word}"
        true(word in INSTRUCTIONS, f"{place} is no instruction")
        true(arguments, f"{place} has no arguments")
        if word == "FROM":
            check_stage(arguments, stages, place)
        elif word in ("COPY", "ADD"):
            check_copy(root, arguments, stages, place)
        elif word in ("ENTRYPOINT", "CMD"):
            true(all(isinstance(part, str) for part in json.loads(arguments)),
                 f"{place}: no list of words")
        elif word == "RUN":
            for script in re.findall(r"(?:^| )(tool/[\w./]+)", arguments):
                true((root / script).is_file(), f"{place}: {script} is not in the repository")
    case.note = "LEFT OUT: no engine builds the container; only its recipe's schema was checked"
