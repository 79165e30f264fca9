#!/usr/bin/env python3
"""Makes the tables of layers, updaters and their settings in conf/guide from proto/*.proto.

usage: guide_tables.py [--write]

A chapter has lines `<!-- begin KIND NAME -->` and `<!-- end KIND NAME -->`. The text between them is
made from the protos. Without --write the program compares, names each chapter that differs, and
exits 1. KINDs:
  layers SECTION   a section of the enum LayerType, with the settings of its types
  values ENUM      the values of an enum
  fields MESSAGE   the fields of a message
  settings CONF    a section of settings that do not belong to a layer
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
GUIDE = ROOT / "conf/guide"
MARK = re.compile(r"^<!-- begin (\w+) (\w+) -->\n(.*?)^<!-- end \1 \2 -->$", re.M | re.S)
FIELD = re.compile(r"(optional|required|repeated) (\w+) (\w+) = \d+( \[.*\])?;")
DEFAULT = re.compile(r'\bdefault = ("(?:\\.|[^"\\])*"|[^],]+)')
VALUE = re.compile(r"(\w+) = \d+;")
# Fields of a layer that are not settings of its type, or that users do not write.
SYSTEM = re.compile(r"Set by the system|^(Deprecated, )?[Ff]or k")
# Enums that have a table of their own in a chapter.
LISTED = {"LayerType", "Phase", "UpdaterType", "ChangeMethod", "InitMethod"}


class Block:
    """A message or an enum: its comment and its entries, in order."""

    def __init__(self, kind, comment):
        self.kind = kind
        self.comment = comment
        self.entries = []  # of a message: fields; of an enum: values


class Entry:
    def __init__(self, name, comment, section, label="", type_name="", default=""):
        self.name = name
        self.comment = comment
        self.section = section  # of a value: the comment above it or above an earlier value
        self.label = label
        self.type_name = type_name
        self.default = default


def new_entry(block, code, above, trailing):
    if block.kind == "enum":
        value = VALUE.match(code)
        if not value:
            return None
        last = block.entries[-1].section if block.entries else ""
        return Entry(value[1], trailing, above or last)
    field = FIELD.match(code)
    if not field:
        if code.startswith(("optional ", "required ", "repeated ")):
            sys.exit(f"guide_tables.py: this field cannot be read: {code}")
        return None
    comment = " ".join(filter(None, [above, trailing]))
    default = DEFAULT.search(field[4] or "")
    return Entry(field[3], comment, "", field[1], field[2], default[1] if default else "")


def parse(path, blocks):
    """Adds the messages and enums of a .proto file to `blocks`, by name."""
    above, stack = [], []
    for line in path.read_text(encoding="utf-8").split("\n"):
        code, _, trailing = line.strip().partition("//")
        code, trailing = code.strip(), trailing.strip()
        if not code:
            above = above + [trailing] if trailing else []
            continue
        opened = re.match(r"(message|enum) (\w+) \{", code)
        if opened:
            stack.append(Block(opened[1], " ".join(above)))
            blocks[opened[2]] = stack[-1]
        if code.endswith("}") and stack:
            stack.pop()
        elif not opened and stack:
            entry = new_entry(stack[-1], code, " ".join(above), trailing)
            if entry:
                stack[-1].entries.append(entry)
        above = []


def escape(text):
    return text.replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*")


def sentence(text):
    return text if not text or text.endswith((".", ":")) else text + "."


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def default_of(entry):
    if entry.label == "required":
        return f"required; `{entry.default}` if the message is absent" if entry.default else "required"
    if entry.label == "repeated":
        return "a list"
    return f"`{entry.default}`" if entry.default else ""


def values_of(blocks, type_name):
    """The values of an enum, for the table of the message that uses it."""
    values = []
    for entry in blocks[type_name].entries:
        meaning = escape(" ".join(filter(None, [entry.section, entry.comment])))
        values.append(f"`{entry.name}`" + (f": {meaning}" if meaning else ""))
    return sentence("Values: " + "; ".join(values))


def fields(blocks, message, skipped=None):
    rows = []
    for entry in blocks[message].entries:
        if skipped and skipped.search(entry.comment):
            continue
        meaning = sentence(escape(entry.comment))
        other = blocks.get(entry.type_name)
        kind = other.kind if other else entry.type_name
        if other and other.kind == "enum" and entry.type_name not in LISTED:
            meaning += " " + values_of(blocks, entry.type_name)
        if not meaning and rows:
            above = rows[-1]
            meaning = above[3] if above[3].startswith("See `") else f"See {above[0]}."
        rows.append([f"`{entry.name}`", kind, default_of(entry), meaning.strip()])
    return table(["field", "type", "default", "meaning"], rows) if rows else []


def settings(blocks, name, message):
    """A section of the settings called `name`, and of the messages inside it."""
    lines = ["", f"### `{name}`", ""]
    if blocks[message].comment:
        lines += [sentence(escape(blocks[message].comment))]
    if blocks[message].entries:
        lines += ([""] if blocks[message].comment else []) + fields(blocks, message)
    for entry in blocks[message].entries:
        inner = blocks.get(entry.type_name)
        if inner and inner.kind == "message":
            lines += settings(blocks, f"{name}.{entry.name}", entry.type_name)
    return lines


def section_name(entry):
    return re.split(r"[:.]", entry.section)[0]


def layers(blocks, section):
    confs = {e.name: e.type_name for e in blocks["LayerProto"].entries}
    mine = [e for e in blocks["LayerType"].entries
            if section_name(e) == section and e.name != "kUserLayer"]
    if not mine:
        sys.exit(f"guide_tables.py: LayerType has no section {section}")
    known = {e.name for e in blocks["LayerType"].entries}
    others = {}  # names of a type beside its own
    for entry in mine:
        if entry.comment in known:
            others.setdefault(entry.comment, []).append(f"`{entry.name}`")
    rows, wanted = [], []
    for entry in mine:
        if entry.comment in known:
            continue
        text, _, conf = entry.comment.partition("[")
        conf, text = conf.rstrip("]"), text.strip()
        if entry.name in others:
            text += "; old names: " + ", ".join(others[entry.name])
        rows.append([f"`{entry.name}`", escape(text), f"[`{conf}`](#{conf})" if conf else ""])
        if conf and conf not in wanted and first_section(blocks, conf) == section:
            wanted.append(conf)
    note = re.split(r"[:.]", mine[0].section, maxsplit=1)[1].strip()
    lines = [note[0].upper() + sentence(escape(note))[1:], ""] if note else []
    lines += table(["type", "what it does", "settings"], rows)
    for conf in wanted:
        lines += settings(blocks, conf, confs[conf])
    return lines


def first_section(blocks, conf):
    for entry in blocks["LayerType"].entries:
        if f"[{conf}]" in entry.comment:
            return section_name(entry)
    return None


def made(blocks, kind, name):
    if kind == "layers":
        return layers(blocks, name)
    if kind == "fields":
        return fields(blocks, name, SYSTEM if name in ("LayerProto", "ParamProto") else None)
    if kind == "values":
        rows = [[f"`{e.name}`", escape(e.comment)] for e in blocks[name].entries]
        return table(["value", "meaning"], rows)
    if kind == "settings":
        message = next(e.type_name for b in blocks.values() for e in b.entries if e.name == name)
        return settings(blocks, name, message)[1:]
    sys.exit(f"guide_tables.py: no table is of the kind {kind}")


def remake(text, blocks, seen):
    """A chapter with its tables made anew; `seen` gains what they are about."""
    def replaced(match):
        seen.add((match[1], match[2]))
        mark = f"{match[1]} {match[2]} -->"
        lines = "\n".join(made(blocks, match[1], match[2]))
        return f"<!-- begin {mark}\n{lines}\n<!-- end {mark}"
    return MARK.sub(replaced, text)


def main(arguments):
    if arguments not in ([], ["--write"]):
        sys.exit(__doc__)
    blocks, seen, faults = {}, set(), 0
    for path in sorted((ROOT / "proto").glob("*.proto")):
        parse(path, blocks)
    for path in sorted(GUIDE.glob("*.md")):
        old = path.read_text(encoding="utf-8")
        new = remake(old, blocks, seen)
        if new != old and arguments:
            path.write_text(new, encoding="utf-8")
        elif new != old:
            print(f"{path.relative_to(ROOT)} differs from proto/: run tool/guide_tables.py --write")
            faults += 1
    for section in sorted({section_name(e) for e in blocks["LayerType"].entries}):
        if ("layers", section) not in seen:
            print(f"conf/guide has no `<!-- begin layers {section} -->`: its layers are in no table")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
