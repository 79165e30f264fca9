#!/usr/bin/env bash
# Runs what only a machine with a GPU can show. tool/test_gpu.sh [FOLDER] [PART ...] builds first; with
# FOLDER it takes the programs that tool/bundle.sh put there, for a machine that lacks the packages.
# ROOMS ("math nn") chooses rooms of tests and sanitizer, NETS ("cnn,mlp") nets of examples, accuracy
# and figures; so a call fits into ten minutes. A room has LIMIT_S seconds (150). Logs go to the folder
# OUT, where that is set. Parts, all of them if none is named:
#   tests      those of each room that run on a GPU
#   jobs       the digits example: one worker on the GPU, in 16 bits, killed and resumed, two workers;
#              and what the net then predicts
#   examples   twenty steps of every example's net
#   accuracy   the MNIST CNN's ten passes: accuracy and seconds; SINGA_DATA as in test/README.md
#   figures    milliseconds a step beside PyTorch's, for which python3 needs torch and numpy, and of
#              AlexNet in bfloat16, too: about two minutes each
#   sanitizer  compute-sanitizer over the tests of each room, where it is installed
# accuracy and figures are also written into test/bench/results.md. All but tests are in tool/gpu.
set -euo pipefail

# The folders of the libraries that pip has installed.
pip_libraries() {
  python3 -c 'import glob, nvidia
print(":".join(f for path in nvidia.__path__ for f in glob.glob(path + "/*/lib")))' 2>/dev/null || true
}

build() {
  tool/packages.sh test
  cmake --preset gpu >/dev/null
  cmake --build --preset gpu
}

# Each room has tests that run where a GPU is, for one of them.
run_tests() {
  local room log bad=0 status
  for room in ${ROOMS:-tensor math nn train driver}; do
    echo "test_$room:"
    log=$out/test_$room.log
    status=0
    timeout "$limit_s" "$bin/test_$room" --gtest_brief=1 --gtest_filter='*cuda*' 2>&1 |
      tee "$log" || status=$?
    [ $status = 0 ] || bad=1
    [ $status != 124 ] || echo "test_$room was not done within $limit_s s" >&2
    grep -q '^\[  PASSED  \] [1-9]' "$log" && continue
    echo "no test of test_$room has run on a GPU and passed" >&2
    bad=1
  done
  return $bad
}

# Whether NETS, where it is set, names NET.
wanted() { [[ -z "${NETS:-}" || ",${NETS//[ ,]/,}," == *",$1,"* ]]; }

# run_PART of the others.
for file in "$(dirname "$0")"/gpu/*.sh; do
  # shellcheck source=/dev/null
  source "$file"
done

bin=
if [ $# -gt 0 ] && [ -d "$1" ]; then
  bin=$(realpath "$1")
  shift
fi
cd "$(dirname "$0")/.."
parts=("$@")
[ $# != 0 ] || parts=(tests jobs examples accuracy figures sanitizer)
for part in "${parts[@]}"; do
  declare -F "run_$part" >/dev/null ||
    { echo "\"$part\" is no folder, and no part: $0 has them at its top" >&2; exit 2; }
done

if [ -z "$bin" ]; then
  build
  bin=$PWD/build-gpu/bin
fi
if [ -f "$bin/COMMIT" ]; then
  SINGA_COMMIT=$(cat "$bin/COMMIT")
  export SINGA_COMMIT
fi
doctor() { "$bin/singa" doctor 2>&1; }
if [[ $(doctor) == *"  not there: lib"* ]]; then  # where the loader looks
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(pip_libraries)
  export LD_LIBRARY_PATH
fi
doctor=$(doctor) || echo "singa doctor finds a fault; what follows goes on without it" >&2
echo "$doctor"
[[ $doctor == *" GPU 0 "* ]] || { echo "no GPU to test on" >&2; exit 69; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
limit_s=${LIMIT_S:-150}
out=${OUT:-$folder/logs}
mkdir -p "$out"

failed=()
for part in "${parts[@]}"; do
  echo "== $part"
  set +e  # the shell of the part has it on; it would be off there, too, in front of "||"
  (set -e -o pipefail; "run_$part" 2>&1 | tee "$out/$part.log")
  status=$?
  set -e
  [ $status = 0 ] || failed+=("$part")
done
if [ ${#failed[@]} != 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "all parts passed"
