#!/usr/bin/env bash
# What only a machine with a GPU can show: the tests of each layer on it, and jobs that train there.
# tool/test_gpu.sh builds first; tool/test_gpu.sh FOLDER takes the programs that tool/bundle.sh put
# there, for a machine that lacks the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
  bin=$(realpath "$1")
else
  tool/packages.sh test
  cmake -S . -B build-gpu -G Ninja -DCMAKE_BUILD_TYPE=Release -DSINGA_TESTS=ON \
    -DSINGA_UNITY_TESTS=ON -DSINGA_CUDA=ON >/dev/null
  cmake --build build-gpu
  bin=$PWD/build-gpu/bin
fi

"$bin/singa" doctor
"$bin/singa" doctor 2>&1 | grep -q " GPU 0 " || { echo "no GPU to test on" >&2; exit 69; }
for room in math nn train; do
  "$bin/test_$room" --gtest_brief=1 --gtest_filter='*cuda*'
done

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$bin/singa" data digits "$folder/data"
sed "s|examples/digits/data|$folder/data|" examples/digits/job.conf > "$folder/job.conf"
for gpus in 0 "0,0"; do
  workers=$(($(echo "$gpus" | tr -cd , | wc -c) + 1))
  "$bin/singa" -conf "$folder/job.conf" -set gpu=$gpus -set "cluster.workspace=$folder/ws$workers" \
    -set cluster.nworkers_per_group=$workers -set cluster.nworkers_per_procs=$workers
  accuracy=$(tail -1 "$folder/ws$workers/metrics.jsonl" | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')
  echo "$workers on gpu $gpus: test accuracy $accuracy, at least 0.97 is asked for"
  awk -v a="$accuracy" 'BEGIN { exit !(a >= 0.97) }'
done
echo "all parts passed"
