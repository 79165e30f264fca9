#!/usr/bin/env bash
# Puts programs of a build with the shared objects that they need into one folder, which runs on
# another machine: tool/bundle.sh BUILD FOLDER. Left out are libc and what CUDA's driver and toolkit
# bring, which are loaded from there. COMMIT says what the checkout was. Needs patchelf.
set -euo pipefail
[ $# = 2 ] || { echo "usage: tool/bundle.sh BUILD FOLDER" >&2; exit 2; }
build=$1 folder=$2
command -v patchelf >/dev/null || { echo "patchelf is missing: apt-get install patchelf" >&2; exit 2; }

mkdir -p "$folder"
rm -f "$folder/COMMIT"
programs=("$build"/bin/singa)
for room in math nn train driver; do
  [ -x "$build/bin/test_$room" ] && programs+=("$build/bin/test_$room")
done
own_of_libc='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|nsl))\.so'

# Files that a program or library is linked with, those of libc left out.
needs() {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | grep -Ev "$own_of_libc" || true
}
for program in "${programs[@]}"; do
  install -s "$program" "$folder"
  while read -r name file; do
    [ -n "$name" ] && install -s -T "$(realpath "$file")" "$folder/$name"
  done < <(needs "$program")
done
# The old kind of RPATH holds for what a library needs in turn, too.
for file in "$folder"/*; do
  patchelf --force-rpath --set-rpath '$ORIGIN' "$file"
done
git -C "$(dirname "$0")" describe --always --exclude='*' --dirty=+ > "$folder/COMMIT"
du -sh "$folder" >&2
