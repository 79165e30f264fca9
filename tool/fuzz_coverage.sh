#!/usr/bin/env bash
# Fails where the replay of a fuzz corpus reached less than 90 % of its parser's lines.
# usage: tool/fuzz_coverage.sh BUILD_DIR  (configured with SINGA_FUZZ=ON and SINGA_COVERAGE=ON, after
#        its tests, which replay each corpus and write BUILD_DIR/FORMAT.profraw; this removes them)
set -euo pipefail
build=$1
source_dir=$(cd "$(dirname "$0")/.." && pwd)
least=90
status=0

# Lines of test/fuzz/parsers.txt: format, then the files of its parser.
while read -r format files; do
  case "$format" in '' | '#'*) continue ;; esac
  profile=$build/$format.profraw
  [ -e "$profile" ] || {
    echo "no $profile: run ctest --preset checked first" >&2
    exit 1
  }
  llvm-profdata-14 merge -o "$build/$format.profdata" "$profile"
  rm "$profile"
  # shellcheck disable=SC2086
  percent=$(cd "$source_dir" && llvm-cov-14 export "$build/bin/${format}_fuzz" \
    -instr-profile="$build/$format.profdata" -summary-only $files |
    python3 -c 'import json, sys; print(round(json.load(sys.stdin)["data"][0]["totals"]["lines"]["percent"], 1))')
  echo "$format: $percent % of the lines of $files"
  if ! python3 -c "import sys; sys.exit(not $percent >= $least)"; then
    echo "$format: its corpus must reach $least %" >&2
    status=1
  fi
done <"$source_dir/test/fuzz/parsers.txt"
exit $status
