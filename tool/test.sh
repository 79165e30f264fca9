#!/usr/bin/env bash
# Installs what is needed, builds everything and runs every test; ends with the minutes of each
# part. Tests on real data run where SINGA_DATA names its folder (test/README.md).
#
#   tool/test.sh          all of it: some 40 minutes
#   tool/test.sh quick    after a small change: builds what has changed, then runs format, unit
#                         tests and whole jobs; a few minutes
#
# Two lanes of parts run at a time: jobs, which often wait, beside compilers, which do not. The output
# of a part is shown when the part ends. A part that fails ends its lane, not the other one.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${SINGA_DATA:-}" ] || echo "SINGA_DATA is not set: tests on MNIST are left out" >&2

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
touch "$logs/minutes" "$logs/failed"

# Prints the lines of an output that tell of failures.
failures() {
  grep -E -A 4 ': Failure$|^FAIL|^\[  FAILED  \]|\*\*\*|error:|ERROR:|SUMMARY:' "$1" | head -n 40 || true
}
# part NAME COMMAND. Never in a condition, where errors would not end COMMAND.
part() {
  local name=$1 log=$logs/$BASHPID start=$SECONDS status=0
  shift
  (
    trap 'times >"$log.times"' EXIT
    "$@"
  ) &>"$log.out" &
  wait $! || status=$?
  flock "$logs/minutes" cat - "$log.out" <<<"== $name"
  # The second line of `times`, as 1m2.345s 0m0.678s, is of the processes that COMMAND started.
  tail -n 1 "$log.times" | tr ms '  ' | awk -v name="$name" -v seconds=$((SECONDS - start)) \
    '{ printf "%-34s %5.1f   %5.1f\n", name, seconds / 60, $1 + $3 + ($2 + $4) / 60 }' \
    >>"$logs/minutes"
  [ $status = 0 ] || { echo "FAILED: $name" && failures "$log.out"; } | tee -a "$logs/failed"
  return $status
}
# lanes A B: two functions of parts; A goes before B where both want the processors.
lanes() {
  "$1" &
  local first=$!
  (
    renice -n 5 $BASHPID >/dev/null
    "$2"
  ) &
  wait $first || true
  wait $! || true
}
finish() {
  echo
  echo "                                   minutes, and of processor time"
  cat "$logs/minutes" "$logs/failed"
  [ ! -s "$logs/failed" ] || exit 1
}

# build PRESET: CMakePresets.json has its options and its folder.
build() {
  cmake --preset "$1" >/dev/null
  cmake --build --preset "$1"
}

# Python's own reader of checkpoints, ONNX Runtime, matplotlib and TensorBoard. Without PyPI their
# tests are left out, and say so.
python() {
  [ -x build-python/bin/python ] || python3 -m venv build-python
  build-python/bin/pip -q install numpy safetensors onnx onnxruntime matplotlib tensorboard ||
    echo "PyPI cannot be reached: no tests with safetensors, ONNX Runtime, matplotlib, TensorBoard" \
      >&2
}
find_python() {
  local found=$PWD/build-python/bin/python
  if [ -x "$found" ] && "$found" -c "import numpy, safetensors, onnx, onnxruntime, matplotlib"; then
    export SINGA_TEST_PYTHON=$found
  fi
}
release() { build release; }
unit() { ctest --preset release; }
# The part with sanitizers runs the unit tests of all rooms. Those of kernels also run as they are
# optimised.
release_kernels() {
  cmake --preset release >/dev/null
  cmake --build --preset release-kernels
}
unit_kernels() { ctest --preset release-kernels; }
format() { git ls-files '*.cc' '*.h' '*.cu' '*.cuh' | xargs clang-format-14 --dry-run -Werror; }
# Unit tests and fuzz corpora, with the lines that they run. By clang, which fuzz targets need, and
# which compiles such code in two thirds of g++'s time.
sanitized() {
  build checked
  rm -rf build-checked/profiles
  # LLVM's OpenMP leaves a file for each process that was killed. If it was killed early, the file is
  # empty, and a later process with its number ends by SIGBUS when it forks.
  rm -f /dev/shm/__KMP_REGISTERED_LIB_*
  ctest --preset checked
  tool/line_coverage.sh build-checked
  tool/fuzz_coverage.sh build-checked
}
# Tests with threads, as test/CMakeLists.txt chooses them. g++ builds them: the memory that clang's
# OpenMP clears for a team of threads looks like a race.
threads() {
  build thread
  ctest --preset thread
}
system() { python3 test/system/run.py build/bin/singa; }
tidy() { tool/tidy.sh build 8; }
# The programs for a machine with GPUs start where nothing is installed.
bundle() {
  if grep -q '^SINGA_CUDA:BOOL=ON' build/CMakeCache.txt; then
    tool/bundle.sh build build/bundle tensor math nn train
  else
    echo "LEFT OUT: no bundle for machines with GPUs: this build has no kernels for them" >&2
  fi
}
onnx() {
  if [ -n "${SINGA_TEST_PYTHON:-}" ]; then
    "$SINGA_TEST_PYTHON" test/system/onnx_outputs.py build/bin/singa
  else
    echo "LEFT OUT: no ONNX Runtime to compare exported models with" >&2
  fi
}
plugins() { python3 test/system/plugins.py build; }
packages() { test/system/packages.sh lint build; }
wheel() { "${SINGA_TEST_PYTHON:-python3}" test/system/wheel_check.py build; }
curves() {
  if [ -n "${SINGA_TEST_PYTHON:-}" ]; then
    "$SINGA_TEST_PYTHON" test/system/plot_check.py
  else
    echo "LEFT OUT: no matplotlib to draw curves with" >&2
  fi
}
events() {
  local python=${SINGA_TEST_PYTHON:-}
  if [ -n "$python" ] && "$python" -c "import tensorboard"; then
    "$python" test/system/tensorboard_reader.py build/bin/singa
  else
    echo "LEFT OUT: no TensorBoard to read event files with" >&2
  fi
}
# Debian's Python, which has its selenium and yaml.
board() { /usr/bin/python3 test/system/board_page.py build/bin/singa; }
launchers() { /usr/bin/python3 test/system/launchers.py build; }
topologies() { python3 test/system/topologies.py build/bin/singa; }
kills() { python3 test/system/kill_trials.py build/bin/singa; }
# Other work beside it may make a job's end slow; the figure of results.md asks for 3 s.
signals() { python3 test/system/signal_trials.py build/bin/singa --trials 7 --seconds 30; }
injected() { python3 test/system/injected.py build --sample 150; }
guide() { python3 test/system/guide_commands.py build/bin/singa; }
divided() { python3 test/system/cut_examples.py build/bin/singa digits mnist/lenet rbm/rbm1; }
digits() { python3 test/system/digits_accuracy.py build/bin/singa; }

prepare() { part "Python packages" python; }
compile() {
  part "format" format
  part "build Release" release_kernels
}
use_release() {
  part "unit tests of kernels, house" unit_kernels
  part "whole jobs: train, kill, resume" system
  part "kill -9, ten of each role" kills
  part "signals at random moments" signals
  part "injected failures of calls" injected
  part "digits in five topologies" topologies
  part "examples, divided in all ways" divided
  part "plugins, on the installed tree" plugins
  part "bundle for machines with GPUs" bundle
  part "Debian packages" packages
  part "wheel" wheel
  part "mpirun, srun, network namespaces" launchers
}
# The parts behind the sanitizers need only the Release build, too. They are here so that both lanes
# take equally long.
use_sanitizers() {
  part "asan, ubsan; fuzz corpora" sanitized
  part "thread sanitizer" threads
  part "exported models in ONNX Runtime" onnx
  part "clang-tidy on changed files" tidy
  part "commands of README and guide" guide
  part "curves" curves
  part "event files in TensorBoard's reader" events
  part "the page of singa board" board
  part "the digits example reaches 0.97" digits
}

quick_jobs() { part "whole jobs: train, kill, resume" system; }
quick_units() {
  part "format" format
  part "unit tests, house" unit
}

case ${1:-} in
  "") ;;
  quick)
    part "build Release" release
    lanes quick_jobs quick_units
    finish
    exit
    ;;
  *)
    echo "usage: tool/test.sh [quick]" >&2
    exit 2
    ;;
esac
part "install packages" tool/packages.sh test
lanes prepare compile
[ ! -s "$logs/failed" ] || finish
find_python
lanes use_release use_sanitizers
finish
echo "all parts passed"
