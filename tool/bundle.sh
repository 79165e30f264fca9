#!/usr/bin/env bash
# Puts programs of a build with the shared objects that they need, stripped, into one folder that
# runs on another machine, and that into FOLDER.tar.gz of at most 60 MiB:
# tool/bundle.sh BUILD FOLDER [ROOM ...], which are singa and the tests of these rooms; with
# cmake --build BUILD --target bundle they are those that tool/test_gpu.sh runs. Left out are libc
# and what CUDA's driver and toolkit bring, which are loaded from there. COMMIT says what the
# checkout was. GLIBC has the oldest version of glibc that runs the programs, as their files say it.
# A build on Debian 12 does not run on older systems. Fails where a program, unpacked elsewhere,
# does not start with an empty environment. Needs patchelf.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: tool/bundle.sh BUILD FOLDER [ROOM ...]" >&2; exit 2; }
build=$1 folder=${2%/}
shift 2
most_bytes=$((60 << 20))
command -v patchelf >/dev/null ||
  { echo "patchelf is missing: tool/packages.sh test installs it" >&2; exit 2; }
if [ -e "$folder" ] && [ ! -f "$folder/COMMIT" ]; then
  echo "$folder is there, and no bundle" >&2
  exit 2
fi

rm -rf "$folder" "$folder.tar.gz"
mkdir -p "$folder"
git -C "$(dirname "$0")" describe --always --exclude='*' --dirty=+ > "$folder/COMMIT"
programs=("$build/bin/singa")
for room in "$@"; do
  programs+=("$build/bin/test_$room")
done
own_of_libc='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl))\.so'

# The name and file of each library that a program needs, those of libc left out.
needs() {
  local found
  found=$(ldd "$1")
  if grep 'not found' <<< "$found" >&2; then
    echo "$1 needs what is not here" >&2
    return 1
  fi
  awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' <<< "$found" | grep -Ev "$own_of_libc" || true
}
for program in "${programs[@]}"; do
  install -s "$program" "$folder"
  libraries=$(needs "$program")
  while read -r name file; do
    [ -z "$name" ] || install -s -T "$(realpath "$file")" "$folder/$name"
  done <<< "$libraries"
done
# The old kind of RPATH holds for what a library needs in turn, too.
shopt -s nullglob
for file in "$folder"/{singa,test_*,lib*}; do
  patchelf --force-rpath --set-rpath '$ORIGIN' "$file"
done

# The highest version of glibc of which a file needs a symbol.
for file in "$folder"/{singa,test_*,lib*}; do
  readelf --version-info --wide "$file"
done | grep -oP 'Name: GLIBC_\K[0-9.]+' | sort -uV | tail -n 1 > "$folder/GLIBC"
[ -s "$folder/GLIBC" ] || { echo "no file names a version of glibc" >&2; exit 1; }

tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
bytes=$(stat -c %s "$folder.tar.gz")
echo "$folder.tar.gz: $((bytes >> 20)) MiB, $(du -sm "$folder" | cut -f1) unpacked;" \
  "runs with glibc $(cat "$folder/GLIBC") or later" >&2
if [ "$bytes" -gt $most_bytes ]; then
  echo "$folder.tar.gz has $bytes bytes, at most $most_bytes are allowed" >&2
  exit 1
fi

elsewhere=$(mktemp -d)
trap 'rm -r "$elsewhere"' EXIT
tar -C "$elsewhere" -xzf "$folder.tar.gz"
for file in "$elsewhere"/*/{singa,test_*}; do
  strange=$(needs "$file" | grep -v " $elsewhere/" || true)
  if [ -n "$strange" ]; then
    printf '%s takes of this machine:\n%s\n' "$(basename "$file")" "$strange" >&2
    exit 1
  fi
  asked=version
  [[ $file != */test_* ]] || asked=--gtest_list_tests
  env -i "$file" $asked >/dev/null || { echo "$(basename "$file") does not start" >&2; exit 1; }
done
echo "its programs start with an empty environment" >&2
