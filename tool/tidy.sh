#!/usr/bin/env bash
# Runs clang-tidy on the files of src that changed last, and says how many it leaves out.
# usage: tool/tidy.sh BUILD [MOST]
#   BUILD  a folder that preset release has built: its commands, and its headers from proto
#   MOST   files at most; 40 unless told; each takes 4 to 11 s of a core
# For a header that changed, the file beside it that has its functions is checked.
set -euo pipefail
build=$1
most=${2:-40}
cd "$(dirname "$0")/.."
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" != false ]; then
  echo "LEFT OUT: clang-tidy: no whole clone, so nothing says which files changed last" >&2
  exit
fi

commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
# The command of each file alone, as a unity build has commands of several together. Without g++'s
# precompiled header, which clang cannot read.
python3 - "$build" "$PWD" >"$commands/compile_commands.json" <<'END'
import json, pathlib, re, sys
build, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
alone, of_room = [], {}
for one in json.loads((build / "compile_commands.json").read_text()):
    one["command"] = re.sub(r"-Winvalid-pch|--param=\S+|-include [^ ]*cmake_pch\.hxx", "", one["command"])
    unity = re.search(r"/singa_(\w+)\.dir/Unity/", one["file"])
    if unity:
        of_room[unity[1]] = one
    else:
        alone.append(one)
known = {one["file"] for one in alone}
for room, one in of_room.items():
    for path in (build / f"src/CMakeFiles/singa_{room}.dir/Unity").glob("unity_*_cxx.cxx"):
        for file in re.findall(r'#include "(.*\.cc)"', path.read_text()):
            file = str(pathlib.Path(one["directory"], file).resolve())
            if file not in known:
                alone.append({**one, "file": file, "command": one["command"].replace(one["file"], file)})
print(json.dumps(alone, indent=0))
END

paths=('src/*.cc' 'src/*.h' 'include/singa/*.h')
mapfile -t changed < <({
  git diff --name-only HEAD -- "${paths[@]}"
  git log --format= --name-only -- "${paths[@]}"
} | sed -E 's#^include/singa/#src/#; s#\.h$#.cc#' | awk '!seen[$0]++')
files=()
for file in "${changed[@]}"; do
  grep -qF "\"file\": \"$PWD/$file\"" "$commands/compile_commands.json" && files+=("$file")
done
[ ${#files[@]} -gt 0 ] || { echo "no file of src is in $build/compile_commands.json" >&2; exit 1; }
left_out=$((${#files[@]} > most ? ${#files[@]} - most : 0))
# clang counts also the warnings of system headers, which it does not show, on lines of their own.
printf '%s\n' "${files[@]:0:most}" | xargs -n 4 -P 2 clang-tidy-14 --quiet -p "$commands" 2>&1 |
  { grep -v ' warnings generated\.$' || true; }
echo "clang-tidy: $((${#files[@]} - left_out)) files passed"
[ $left_out = 0 ] || echo "LEFT OUT: $left_out files that changed longer ago (tool/tidy.sh $build 1000)" >&2
