#!/usr/bin/env bash
# Installs Debian packages by name: tool/packages.sh build|package|test [names ARCHITECTURE].
# `package` is `build` and what cpack needs. Needs root or sudo; does nothing where all of them are
# there. `names` prints the names for a build for ARCHITECTURE, as Debian calls it, instead.
set -euo pipefail

# Debian's oneDNN has fast products of matrices for amd64 only.
products=libopenblas-dev
[ "${3:-$(dpkg --print-architecture)}" != amd64 ] || products=libdnnl-dev
build=(g++ cmake ninja-build pkg-config protobuf-compiler libprotobuf-dev libgoogle-glog-dev
  libgflags-dev "$products" nlohmann-json3-dev zlib1g-dev libsodium-dev libcpp-httplib-dev
  libturbojpeg0-dev libpng-dev libwebp-dev libtiff-dev libarchive-dev liblmdb-dev libonnx-dev
  libzmq3-dev cppzmq-dev libjs-dygraphs)
packing=(dpkg-dev file)
test=(clang-14 clang-format-14 clang-tidy-14 llvm-14 lld-14 libclang-rt-14-dev libgtest-dev
  libgmock-dev libbenchmark-dev libopenblas-dev libomp-14-dev graphviz python3 python3-venv
  python3-yaml python3-selenium chromium chromium-driver bc git openmpi-bin slurm-wlm libpmix-dev
  munge iproute2 patchelf lintian)

case "${1:-}" in
  build) wanted=("${build[@]}") ;;
  package) wanted=("${build[@]}" "${packing[@]}") ;;
  test) wanted=("${build[@]}" "${packing[@]}" "${test[@]}") ;;
  *) echo "usage: tool/packages.sh build|package|test [names ARCHITECTURE]" >&2; exit 2 ;;
esac
[ "${2:-}" != names ] || { printf '%s\n' "${wanted[@]}"; exit 0; }

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
echo "installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get -qq update
"${sudo[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
