#!/usr/bin/env bash
# From a bare Debian 12 to a trained net: installs packages, builds Release into build/, draws the
# embedded digits and trains examples/digits/job.conf. The last line has the test accuracy.
set -euo pipefail
cd "$(dirname "$0")/.."

tool/packages.sh build
cmake --preset user >/dev/null
cmake --build --preset user
build/bin/singa data digits examples/digits/data
build/bin/singa -conf examples/digits/job.conf
