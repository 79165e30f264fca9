#!/usr/bin/env bash
# Puts programs of a build with the shared objects that they need, stripped, into one folder that
# runs on another machine, and that into FOLDER.tar.gz of at most 62 MiB:
# tool/bundle.sh BUILD FOLDER [ROOM ...], which are singa and the tests of these rooms; with
# cmake --build BUILD --target bundle they are those that tool/test_gpu.sh runs.
#
#   FOLDER/NAME   starts bin/NAME, by libc's loader if the host's glibc is older than GLIBC has it;
#                 one file under several names (tool/starter.cc)
#   bin, lib      the programs; the libraries that they need, but not what CUDA's driver and toolkit
#                 bring, which are loaded from the host
#   libc          this system's glibc, with its loader
#   GLIBC         the oldest version of glibc that runs the programs without libc, as their files say it
#   licenses      the copyright texts of the Debian packages that the libraries are from, and in
#                 common-licenses the licences that these texts name; singa: of the program itself
#   COMMIT        what the checkout was
#
# Fails where a program, unpacked elsewhere, does not start with an empty environment, by either
# glibc. Needs patchelf, and a compiler with a static libc.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: tool/bundle.sh BUILD FOLDER [ROOM ...]" >&2; exit 2; }
build=$1 folder=${2%/}
source=$(dirname "$0")/..
shift 2
most_bytes=$((62 << 20))
command -v patchelf >/dev/null ||
  { echo "patchelf is missing: tool/packages.sh test installs it" >&2; exit 2; }
if [ -e "$folder" ] && [ ! -f "$folder/COMMIT" ]; then
  echo "$folder is there, and no bundle" >&2
  exit 2
fi

rm -rf "$folder" "$folder.tar.gz"
mkdir -p "$folder"/{bin,lib,libc}
git -C "$source" describe --always --exclude='*' --dirty=+ > "$folder/COMMIT"
programs=("$build/bin/singa")
for room in "$@"; do
  programs+=("$build/bin/test_$room")
done
files_of_libc='(ld-linux.*\.so\.[0-9]+|libnsl\.so\.1|lib(c|m|mvec|dl|rt|pthread|resolv|util|anl)\.so\.[0-9]+)'

# The name and file of each library that a program needs, those of libc left out.
needs() {
  local found
  found=$(ldd "$1")
  if grep 'not found' <<< "$found" >&2; then
    echo "$1 needs what is not here" >&2
    return 1
  fi
  awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' <<< "$found" | grep -Ev "^$files_of_libc " || true
}
copied=()  # files of other projects
for program in "${programs[@]}"; do
  install -s "$program" "$folder/bin"
  libraries=$(needs "$program")
  while read -r name file; do
    [ -n "$name" ] || continue
    file=$(realpath "$file")
    install -s -m 644 -T "$file" "$folder/lib/$name"
    [[ $file = "$(realpath "$build")"/* ]] || copied+=("$file")
  done <<< "$libraries"
done
# The old kind of RPATH holds for what a library needs in turn, too.
patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$folder"/bin/*
patchelf --force-rpath --set-rpath '$ORIGIN' "$folder"/lib/*

# The highest version of glibc of which a file needs a symbol.
readelf --version-info --wide "$folder"/{bin,lib}/* |
  grep -oP 'Name: GLIBC_\K[0-9.]+' | sort -uV | tail -n 1 > "$folder/GLIBC"
[ -s "$folder/GLIBC" ] || { echo "no file names a version of glibc" >&2; exit 1; }

loader=$(patchelf --print-interpreter "$build/bin/singa")
mapfile -t libc < <(find "$(dirname "$(realpath "$loader")")" -maxdepth 1 -regextype posix-extended \
  -regex ".*/$files_of_libc")
cp -L -t "$folder/libc" "${libc[@]}"
copied+=("${libc[@]}")
"${CXX:-c++}" -std=c++20 -O2 -Wall -Wextra -Werror -static -s "-DSINGA_LOADER=\"$loader\"" \
  -o "$folder/singa" "$source/tool/starter.cc"
for program in "${programs[@]:1}"; do
  ln "$folder/singa" "$folder/$(basename "$program")"
done

# add_licenses FILE...: the texts about the packages that have these files.
add_licenses() {
  local file owner package text name
  if ! command -v dpkg-query >/dev/null; then
    echo "dpkg is missing: put the licences of the libraries into $folder/licenses" >&2
    return
  fi
  for file in "$@"; do
    # A package may name a file as it was before /lib became a link to /usr/lib.
    owner=$({ dpkg-query -S "$file" || dpkg-query -S "${file#/usr}"; } 2>/dev/null | tail -n 1) || true
    package=${owner%%:*}
    text=/usr/share/doc/$package/copyright
    if [ -n "$package" ] && [ -f "$text" ]; then
      cp -L "$text" "$folder/licenses/$package"
    else
      echo "$folder/licenses needs the licence of $file, about which dpkg has no text" >&2
    fi
  done
  mkdir "$folder/licenses/common-licenses"
  for name in $(cat "$folder"/licenses/* 2>/dev/null |
      grep -aoP '/usr/share/common-licenses/\K[\w.-]*\w' | sort -u); do
    [ ! -f "/usr/share/common-licenses/$name" ] ||
      cp -L "/usr/share/common-licenses/$name" "$folder/licenses/common-licenses"
  done
}
mkdir "$folder/licenses"
cat "$source/tool/package/copyright" "$source/LICENSE" > "$folder/licenses/singa"
add_licenses "${copied[@]}"

tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
bytes=$(stat -c %s "$folder.tar.gz")
echo "$folder.tar.gz: $((bytes >> 20)) MiB, $(du -sm "$folder" | cut -f1) unpacked;" \
  "has its own glibc for hosts where it is older than $(cat "$folder/GLIBC")" >&2
if [ "$bytes" -gt $most_bytes ]; then
  echo "$folder.tar.gz has $bytes bytes, at most $most_bytes are allowed" >&2
  exit 1
fi

elsewhere=$(mktemp -d)
trap 'rm -r "$elsewhere"' EXIT
tar -C "$elsewhere" -xzf "$folder.tar.gz"
top=$elsewhere/$(basename "$folder")
# starts GLIBC: whether all programs start where they seem to need this version.
starts() {
  local name asked strange
  echo "$1" > "$top/GLIBC"
  for program in "${programs[@]}"; do
    name=$(basename "$program")
    # The loader then prints what it has loaded, and ends.
    strange=$(env -i LD_TRACE_LOADED_OBJECTS=1 "$top/$name" | grep ' => ' | grep -v " => $top/" |
      if [ "$1" = "$never" ]; then cat; else grep -Ev "^\s*$files_of_libc "; fi || true)
    if [ -n "$strange" ]; then
      printf '%s takes of this machine:\n%s\n' "$name" "$strange" >&2
      return 1
    fi
    asked=version
    [[ $name != test_* ]] || asked=--gtest_list_tests
    env -i "$top/$name" $asked >/dev/null || { echo "$name does not start" >&2; return 1; }
  done
}
never=999.0
starts "$(cat "$top/GLIBC")"
starts $never
echo "its programs start with an empty environment, by this system's glibc and by their own" >&2
