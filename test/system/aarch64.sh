#!/usr/bin/env bash
# Compiles this checkout for aarch64, runs unit tests under qemu, and trains the digits example with
# the program: aarch64.sh FOLDER [ROOM...]. Without names it runs the tests of all rooms.
#
# FOLDER keeps a Debian 12 of this machine's architecture, with a cross compiler and arm64's
# libraries, and the build. The next run goes on from there. The first one takes hours on two
# cores, since the emulated processor is many times slower than this one.
#
# Needs root, debootstrap, Debian's mirrors, as apt of this machine names them, and Linux 6.7, which
# lets a user namespace say what runs programs of aarch64. All mounts and processes are in namespaces
# of their own, and end with this script.
set -euo pipefail
. "$(dirname "$0")/debian_root.sh"
[ $# -ge 1 ] || { echo "usage: aarch64.sh FOLDER [ROOM...]" >&2; exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
root=$folder/root
shift
rooms=("$@")
[ $# -gt 0 ] || rooms=(tensor math nn train proto base io comm cluster driver)
source=$(realpath "$(dirname "$0")/../..")
inside=
finish() {
  [ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true
  wait
}
trap finish EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT

# Runs in the new system. Libraries are arm64's, where Debian has them for it; tools are this
# machine's.
install_packages() {
  export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
  local name wanted=(crossbuild-essential-arm64 qemu-user-static)
  dpkg --configure -a
  dpkg --add-architecture arm64
  apt-get -qq update
  for name in "$@"; do
    if [[ $name == *-dev ]] && apt-cache show "$name:arm64" >/dev/null 2>&1; then
      wanted+=("$name:arm64")
    else
      wanted+=("$name")
    fi
  done
  apt-get -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io install -y \
    --no-install-recommends "${wanted[@]}" >/dev/null
}

make_root() {
  local names
  mapfile -t names < <("$source/tool/packages.sh" build names arm64)
  names+=(libgtest-dev)
  [ "$(cat "$folder/packages" 2>/dev/null)" != "${names[*]}" ] || return 0
  if [ ! -e "$folder/made" ]; then
    rm -rf --one-file-system "$root"
    make_debian "$root"
    touch "$folder/made"
  fi
  let_apt_work "$root"
  mount -t proc proc "$root/proc"
  chroot "$root" /usr/bin/env -i \
    /bin/bash -c "set -euo pipefail; $(declare -f install_packages); install_packages ${names[*]}"
  mkdir -p "$root/singa" "$root/build"
  echo "${names[*]}" >"$folder/packages"
}

# Runs in the new system, where /singa is the checkout and /build the build. Some tests run code of
# GPUs by a hundred threads that wait for each other, which takes hours under qemu. They tell nothing
# of the processor, and are left out.
test_there() {
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
  export GTEST_FILTER='-*BlockTest.*:LayerNormBlock.*'
  local room
  cmake -S /singa -B /build -G Ninja --toolchain /singa/test/system/aarch64.cmake \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DSINGA_UNITY_TESTS=ON -DSINGA_CUDA=OFF \
    >/build/configured
  for room in "$@"; do
    ninja -C /build "test_$room"
    ctest --test-dir /build --output-on-failure -R "^$room\$"
  done
  ninja -C /build bin/singa
  cd "$(mktemp -d)"
  /build/bin/singa --version
  cp -r /singa/examples .
  /build/bin/singa data digits examples/digits/data
  /build/bin/singa -conf examples/digits/job.conf -set train_epochs=2 -set disp_freq=1 2>&1 |
    tail -n 3
  grep '"phase":"test"' singa-digits/metrics.jsonl | tail -n 1 |
    sed -E 's/.*"accuracy":([0-9.]+).*/\1/' |
    awk '{ print "accuracy " $1; if ($1 < 0.9) exit 1 }'
}

# Runs as process 1 of new namespaces. The first line tells Linux how a program of aarch64 begins.
emulate() {
  set -euo pipefail
  local handlers=/proc/sys/fs/binfmt_misc zeros='\x00\x00\x00\x00\x00\x00\x00\x00'
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount --bind "$source" "$root/singa"
  mount -t binfmt_misc binfmt_misc "$root$handlers"
  printf '%s' ":aarch64:M::\x7fELF\x02\x01\x01\x00$zeros\x02\x00\xb7\x00:\
\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:\
$root/usr/bin/qemu-aarch64-static:F" >"$root$handlers/register"
  chroot "$root" /usr/bin/env -i \
    /bin/bash -c "set -euo pipefail; $(declare -f test_there); test_there $*"
}

export folder root source
export -f make_debian let_apt_work install_packages make_root test_there emulate
unshare --mount --pid --fork --kill-child --mount-proc bash -c 'set -euo pipefail; make_root' &
inside=$!
wait $inside
unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc \
  bash -c 'emulate "$@"' emulate "${rooms[@]}" &
inside=$!
wait $inside
inside=
