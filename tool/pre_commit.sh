#!/usr/bin/env bash
# Checks what is about to be committed: format, house, tables of the guide, and the unit tests of
# the rooms that the files are in. As a hook: ln -s ../../tool/pre_commit.sh .git/hooks/pre-commit
#
# All but the unit tests read the index, so what is not added to the commit is not looked at. Unit
# tests are of the working tree. They are built and run in the folder BUILD, by default build-cpu, or
# build where that is not.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
build=${BUILD:-build-cpu}
[ -d "$build" ] || build=build

mapfile -t files < <(git diff --cached --name-only --diff-filter=d)
[ ${#files[@]} -gt 0 ] || exit 0

sources=()
rooms=()
for file in "${files[@]}"; do
  case $file in *.cc | *.h | *.cu | *.cuh) sources+=("$file") ;; esac
  room=$(sed -nE 's#^(src|include/singa|test)/([a-z]+)/.*#\2#p' <<<"$file")
  case $room in base | tensor | math | io | comm | nn | train | cluster | driver) rooms+=("$room") ;; esac
done

index=$(mktemp -d)
trap 'rm -rf "$index"' EXIT
git checkout-index --all --prefix="$index/"
(
  cd "$index"
  [ ${#sources[@]} = 0 ] || clang-format-14 --dry-run -Werror "${sources[@]}"
  tool/check_house.py
  tool/guide_tables.py
)
for room in $(printf '%s\n' "${rooms[@]}" | sort -u); do
  if [ ! -f "$build/build.ninja" ]; then
    echo "no unit tests: there is no build in $build (cmake --preset cpu-only)" >&2
    break
  fi
  ninja -C "$build" "bin/test_$room"
  "$build/bin/test_$room" --gtest_brief=1
done
