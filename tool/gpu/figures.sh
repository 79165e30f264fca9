# shellcheck shell=bash disable=SC2154
# The parts "accuracy" and "figures" of tool/test_gpu.sh, which write into test/bench/results.md. $bin:
# its own; wanted: of tool/test_gpu.sh.

run_accuracy() {
  if [ -z "${SINGA_DATA:-}" ]; then
    echo "LEFT OUT: the accuracy on MNIST: SINGA_DATA is not set" >&2
    return
  fi
  wanted cnn || return 0
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
  for net in cnn mlp cifar rbm alexnet gru; do
    wanted "$net" || continue
    if [ -z "${SINGA_DATA:-}" ] && [[ $net =~ ^(cnn|mlp|rbm)$ ]]; then
      echo "LEFT OUT: $net beside PyTorch: SINGA_DATA is not set" >&2
      continue
    fi
    compare --nets "$net"
    [ "$net" != alexnet ] || compare --nets "$net" --precision bfloat16
  done
  return $bad
}
