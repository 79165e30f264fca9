#!/usr/bin/env bash
# What only a machine with a GPU can show. tool/test_gpu.sh [FOLDER] [PART ...] builds first; with
# FOLDER it takes the programs that tool/bundle.sh put there, for a machine that lacks the packages.
# Parts, all of them if none is named:
#   tests      those of each room that run on a GPU
#   jobs       the digits example, one worker on the GPU and two, and what the net then predicts
#   accuracy   the MNIST CNN's ten passes: accuracy and seconds; SINGA_DATA as in test/README.md
#   figures    milliseconds a step beside PyTorch's, for which python3 needs torch and numpy; of all
#              nets, or of those that NETS names ("cnn,mlp"), and of AlexNet in bfloat16, too: about
#              two minutes each
#   sanitizer  compute-sanitizer over the tests of layers, where it is installed
# accuracy and figures are also written into test/bench/results.md.
set -euo pipefail

# The folders of the libraries that pip has installed, where the loader does not find those that a
# job on a GPU loads.
pip_libraries() {
  python3 - <<'END'
import ctypes
import glob


def loads(file):
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True


if not all(map(loads, ("libcublasLt.so.13", "libcudnn.so.9"))):
    try:
        import nvidia
    except ImportError:
        raise SystemExit
    print(":".join(f for path in nvidia.__path__ for f in glob.glob(f"{path}/*/lib")))
END
}

build() {
  tool/packages.sh test
  cmake -S . -B build-gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DSINGA_TESTS=ON \
    -DSINGA_UNITY_TESTS=ON -DSINGA_CUDA=ON >/dev/null
  cmake --build build-gpu
}

# Each room has tests that run where a GPU is, for one of them.
run_tests() {
  local room log=$folder/tests.log bad=0
  for room in tensor math nn train driver; do
    echo "test_$room:"
    timeout 900 "$bin/test_$room" --gtest_brief=1 --gtest_filter='*cuda*' 2>&1 | tee "$log" || bad=1
    grep -q '^\[  PASSED  \] [1-9]' "$log" && continue
    echo "no test of test_$room has run on a GPU and passed" >&2
    bad=1
  done
  return $bad
}

# The digits example on these GPUs, a worker on each: "0", "0,0", "0,1"; with a second word so many
# of them in a process, and NCCL between processes.
digits() {
  local workers accuracy settings=()
  workers=$(($(echo "$1" | tr -cd , | wc -c) + 1))
  [ -z "${2:-}" ] || settings=(-set cluster.all_reduce.compression=kNone)
  "$bin/singa" -conf "$folder/job.conf" -set "gpu=$1" -set "cluster.workspace=$folder/ws$workers" \
    -set cluster.nworkers_per_group=$workers -set "cluster.nworkers_per_procs=${2:-$workers}" \
    "${settings[@]}"
  accuracy=$(tail -1 "$folder/ws$workers/metrics.jsonl" | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')
  echo "$workers on gpu $1, ${2:-all} in a process: test accuracy $accuracy, at least 0.97 is asked for"
  awk -v a="$accuracy" 'BEGIN { exit !(a >= 0.97) }'
}

# The best class of each of the test's pictures, by the GPU and by the CPU: nearly all are the same.
predictions() {
  local gpu different
  for gpu in 0 ""; do
    "$bin/singa" predict -conf "$folder/job.conf" -set "gpu=$gpu" -topk 1 \
      -set "cluster.workspace=$folder/ws1" "$folder/data/t10k-images-idx3-ubyte" |
      cut -d, -f1-3 > "$folder/classes$gpu"
  done
  different=$(diff "$folder/classes0" "$folder/classes" | grep -c '^<' || true)
  echo "$different of $(wc -l < "$folder/classes") predictions differ, at most 5 may"
  [ "$different" -le 5 ]
}

run_jobs() {
  "$bin/singa" data digits "$folder/data"
  sed "s|examples/digits/data|$folder/data|" examples/digits/job.conf > "$folder/job.conf"
  digits 0
  predictions
  digits 0,0
  if [[ "$doctor" == *" GPU 1 "* ]]; then
    digits 0,1
    digits 0,1 1
  else
    echo "LEFT OUT: sums by NCCL: there is one GPU" >&2
  fi
}

run_accuracy() {
  if [ -z "${SINGA_DATA:-}" ]; then
    echo "LEFT OUT: the accuracy on MNIST: SINGA_DATA is not set" >&2
    return
  fi
  python3 test/bench/mnist_accuracy.py "$bin/singa" --gpu 0 --write
}

run_figures() {
  if ! python3 -c 'import torch, numpy'; then
    echo "LEFT OUT: figures beside PyTorch's: python3 lacks torch or numpy" >&2
    return
  fi
  local net bad=0
  compare() {
    python3 test/bench/vs_torch.py "$bin/singa" --gpu 0 --seconds 0.6 --write "$@" || bad=1
  }
  for net in $(echo "${NETS:-cnn,mlp,cifar,rbm,alexnet,gru}" | tr , ' '); do
    if [ -z "${SINGA_DATA:-}" ] && [[ $net =~ ^(cnn|mlp|rbm)$ ]]; then
      echo "LEFT OUT: $net beside PyTorch: SINGA_DATA is not set" >&2
      continue
    fi
    compare --nets "$net"
    [ "$net" != alexnet ] || compare --nets "$net" --precision bfloat16
  done
  return $bad
}

# Without finite differences, which call the same kernels hundreds of times. Races are looked for in
# kernels of ours, which have the namespace in their names.
run_sanitizer() {
  local program bad=0
  program=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  if [ ! -x "$program" ]; then
    echo "LEFT OUT: memcheck and racecheck: compute-sanitizer is not installed" >&2
    return
  fi
  check() {
    timeout 240 "$program" --error-exitcode 1 --tool "$@" "$bin/test_nn" --gtest_brief=1 \
      --gtest_filter='*cuda*-*Differences*' && return
    echo "$1 found something, or was not done within 240 s" >&2
    bad=1
  }
  check memcheck
  check racecheck --kernel-name kernel_substring=singa
  return $bad
}

bin=
if [ $# -gt 0 ] && [ -d "$1" ]; then
  bin=$(realpath "$1")
  shift
fi
cd "$(dirname "$0")/.."
parts=("$@")
[ $# != 0 ] || parts=(tests jobs accuracy figures sanitizer)
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
libraries=
if command -v python3 >/dev/null; then libraries=$(pip_libraries); fi
[ -z "$libraries" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"
doctor=$("$bin/singa" doctor 2>&1) || { echo "$doctor" >&2; exit 69; }
echo "$doctor"
[[ $doctor == *" GPU 0 "* ]] || { echo "no GPU to test on" >&2; exit 69; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

failed=()
for part in "${parts[@]}"; do
  echo "== $part"
  set +e  # the shell of the part has it on; it would be off there, too, in front of "||"
  (set -e; "run_$part")
  status=$?
  set -e
  [ $status = 0 ] || failed+=("$part")
done
if [ ${#failed[@]} != 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "all parts passed"
