# shellcheck shell=bash disable=SC2154
# The part "examples" of tool/test_gpu.sh: a few steps of every example's net, on data that are made
# here. $bin and $folder: its own.

# Noise in the place of files, of the form that the conf says.
noise=()
for phase in 0 1; do
  noise+=("neuralnet.layer[data#$phase].store_conf.backend=synthetic"
    "neuralnet.layer[data#$phase].store_conf.mean_file=")
done

# The first loss or error, and the last, of a workspace's training.
course() {
  grep '"phase":"train"' "$1/metrics.jsonl" | sed -n '1p;$p' |
    sed -E 's/.*"(loss|squared_error)":([^,}]*).*/\2/' | tr '\n' ' '
}

# Twenty steps of an example's conf on the GPU, with float32's products, and on the CPU: the first
# step has the same loss, but for rounding, and the last about the same. NETS may name it whole, by its
# folder or by its last part ("mnist/cnn", "mnist", "cnn"). EXAMPLE [SETTING...]
example() {
  wanted "$1" || wanted "${1#*/}" || wanted "${1%/*}" || return 0
  local name=${1//\//-} gpu set settings=() courses=""
  sed -e "s|examples/digits/data|$folder/data|" -e "s|examples/char_rnn/data|$folder/text|" \
    -e "s|examples/mnist/data/\([a-z0-9-]*\)\.gz|$folder/data/\1|" \
    -e "s|singa-\(rbm[1-4]\)/checkpoint/step6000|$folder/rbm-\10/checkpoint/step20|" \
    "examples/$1.conf" > "$folder/$name.conf"
  for set in train_epochs=0 train_steps=20 disp_freq=1 test_epochs=0 test_freq=0 test_steps=2 \
    validate_freq=0 checkpoint_freq=0 checkpoint_best= "${@:2}"; do
    settings+=(-set "$set")
  done
  for gpu in 0 ""; do
    if ! "$bin/singa" -conf "$folder/$name.conf" "${settings[@]}" -set "gpu=$gpu" \
      -set precision=kFloat32 -set "cluster.workspace=$folder/$name$gpu" 2> "$folder/$name.log"; then
      tail -20 "$folder/$name.log" >&2
      return 1
    fi
    if [ -n "$gpu" ] && grep 'cannot be captured\|cuDNN declines' "$folder/$name.log" >&2; then
      return 1
    fi
    courses+=$(course "$folder/$name$gpu")" "
  done
  echo "$1: losses, first and last, of GPU and CPU: $courses"
  awk -v c="$courses" 'function off(a, b) { return (a > b ? a - b : b - a) / (b > 0 ? b : -b) }
    BEGIN { split(c, x, " "); exit !(x[4] != "" && off(x[1], x[3]) < 1e-3 && off(x[2], x[4]) < 0.2) }'
}

run_examples() {
  local name bad=0
  if [ ! -d "$folder/data" ]; then "$bin/singa" data digits "$folder/data"; fi
  mkdir -p "$folder/text"
  awk -v text="$folder/text/input.txt" 'BEGIN {
    vocabulary = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:"
    printf "%s", vocabulary
    srand(1)
    for (i = 0; i < 200000; ++i) printf "%s", substr(vocabulary, 1 + int(65 * rand()), 1) > text
  }' > "$folder/text/vocab.txt"

  for name in digits/job mnist/{cnn,lenet,lstm,mlp} rbm/{rbm1,rbm2,rbm3,rbm4,autoencoder} \
    char_rnn/job; do
    example "$name" || bad=1
  done
  for name in cifar10/{convnet,bn}; do example "$name" "${noise[@]}" || bad=1; done
  example alexnet/job "${noise[@]}" "neuralnet.layer[image].rgbimage_conf.meanfile=" \
    "neuralnet.layer[data].store_conf.batchsize=16" updater.learning_rate.base_lr=0.0001 || bad=1
  if [ -f build-custom_layer/gate.so ]; then
    example custom_layer/job || bad=1
  else
    echo "LEFT OUT: custom_layer, whose plugin is not built: examples/custom_layer/README.md" >&2
  fi
  echo "LEFT OUT: rnnlm, whose plugin makes its records of a real text" >&2
  return $bad
}
