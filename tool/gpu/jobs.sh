# shellcheck shell=bash disable=SC2154
# The part "jobs" of tool/test_gpu.sh: the digits example in whole jobs. $bin and $folder: its own.

# train_digits WORKSPACE LEAST [SETTING...]: fails if the digits job stays below this accuracy.
train_digits() {
  local workspace=$folder/$1 least=$2 set settings=() accuracy
  shift 2
  for set in "$@"; do settings+=(-set "$set"); done
  "$bin/singa" -conf "$folder/job.conf" -set "cluster.workspace=$workspace" "${settings[@]}"
  accuracy=$(tail -1 "$workspace/metrics.jsonl" | sed 's/.*"accuracy":\([0-9.]*\).*/\1/')
  echo "$*: test accuracy $accuracy, at least $least is asked for"
  awk -v a="$accuracy" -v least="$least" 'BEGIN { exit !(a >= least) }'
}

# A worker on each of these GPUs: "0", "0,0", "0,1"; with a second word so many of them in a process,
# and NCCL between processes.
digits() {
  local workers settings=()
  workers=$(($(echo "$1" | tr -cd , | wc -c) + 1))
  [ -z "${2:-}" ] || settings=(cluster.all_reduce.compression=kNone)
  train_digits "ws$workers" 0.97 "gpu=$1" "cluster.nworkers_per_group=$workers" \
    "cluster.nworkers_per_procs=${2:-$workers}" "${settings[@]}"
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

newest() { printf '%s\n' "$folder/$1"/checkpoint/step* | sort -V | tail -1; }

# A job that is killed in the middle goes on to the bytes of the one in ws1, which nothing disturbed.
# Its many checkpoints make it long enough to be caught.
killed() {
  local pid file status=0 words=(-conf "$folder/job.conf" -set gpu=0 -set checkpoint_freq=20
    -set checkpoint_keep=3 -set "cluster.workspace=$folder/killed")
  "$bin/singa" "${words[@]}" &
  pid=$!
  until [ -d "$folder/killed/checkpoint/step60" ] || ! kill -0 "$pid"; do sleep 0.01; done
  kill -9 "$pid" || true
  wait "$pid" || status=$?
  [ $status = 137 ] || { echo "the job ended with $status, and was not killed" >&2; return 1; }
  "$bin/singa" "${words[@]}" -set checkpoint_freq=400 -resume
  for file in model state; do
    cmp "$(newest ws1)/$file.safetensors" "$(newest killed)/$file.safetensors"
  done
  echo "a job that was killed has gone on to the same bytes"
}

run_jobs() {
  local precision
  "$bin/singa" data digits "$folder/data"
  sed "s|examples/digits/data|$folder/data|" examples/digits/job.conf > "$folder/job.conf"
  digits 0
  predictions
  killed
  for precision in kBFloat16 kFloat16; do
    train_digits $precision 0.97 gpu=0 precision=$precision
  done
  digits 0,0
  if [[ "$doctor" == *" GPU 1 "* ]]; then
    digits 0,1
    digits 0,1 1
  else
    echo "LEFT OUT: sums by NCCL: there is one GPU" >&2
  fi
}
