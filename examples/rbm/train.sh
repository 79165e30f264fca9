#!/usr/bin/env bash
# Trains the four RBMs, each on what those below it give, and then the autoencoder that they make.
# Run from the repository's root; arguments go to every job, such as -set seed=2.
set -euo pipefail
for job in rbm1 rbm2 rbm3 rbm4 autoencoder; do
  build/bin/singa -conf "examples/rbm/$job.conf" "$@"
done
