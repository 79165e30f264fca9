#!/usr/bin/env bash
# Runs the bundle and the wheel of a complete build in a bare Debian 11, whose glibc is older than the
# programs need, and in a bare Debian 12: bundle_hosts.sh BUILD [CACHE]. The folder CACHE keeps the
# bare systems for the next time; without it, debootstrap takes some minutes.
#
# Each runs bundle_jobs.py by the program of the bundle and by that of the wheel, which pip installs.
# The system's Open MPI is a library of the host that loads into the program, as CUDA's are.
#
# Needs what tool/bundle.sh needs, root, debootstrap and Debian's mirrors, as apt of this machine names
# them. All mounts and processes are in namespaces of their own, and end with this script.
set -euo pipefail
. "$(dirname "$0")/debian_root.sh"
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: bundle_hosts.sh BUILD [CACHE]" >&2; exit 2; }
build=$(realpath "$1")
cache=${2:+$(realpath "$2")}
source=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d /var/tmp/singa-bundle-XXXXXX)
inside=
finish() {
  [ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true
  wait
  rm -rf --one-file-system "$folder"
}
trap finish EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT

# make_system CODENAME: the bare system in $folder/CODENAME.
make_system() {
  local kept=${cache:+$cache/$1.tar}
  if [ -n "$kept" ] && [ -f "$kept" ]; then
    tar -C "$folder" -xf "$kept"
  else
    make_debian "$folder/$1" "$1"
    [ -z "$kept" ] || { tar -C "$folder" -cf "$kept.new" "$1" && mv "$kept.new" "$kept"; }
  fi
  cp /etc/resolv.conf "$folder/$1/etc/resolv.conf"
  echo "127.0.0.1 localhost" >"$folder/$1/etc/hosts"
  cp -r "$folder"/bundle "$folder"/dist/*.whl "$source"/test/system/bundle_jobs.py \
    "$source/examples/digits/job.conf" "$folder/$1/root"
}

# try_there LIBC, in /root of the bare system: whether programs run by this libc.
try_there() {
  export DEBIAN_FRONTEND=noninteractive
  local libc=$1 singa
  getconf GNU_LIBC_VERSION
  apt-get -qq update
  apt-get -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io install -y \
    --no-install-recommends python3-venv openmpi-bin >/dev/null 2>&1
  if bundle/bin/singa version >/dev/null 2>&1; then
    [ "$libc" = host ] || { echo "this system is not too old" >&2; return 1; }
  fi
  python3 -m venv venv
  venv/bin/pip -q install --no-index ./*.whl
  for singa in bundle/singa venv/bin/singa; do
    python3 bundle_jobs.py $singa job.conf "$libc"
    timeout 120 mpirun --allow-run-as-root --oversubscribe -n 2 $singa doctor 2>&1 |
      grep "kMpi" >mpi || true
    [ "$(grep -c "sends messages" mpi)" = 2 ] || { cat mpi >&2; return 1; }
  done
}

# try_system CODENAME LIBC, as process 1 of new namespaces.
try_system() {
  set -euo pipefail
  make_system "$1"
  mount -t proc proc "$folder/$1/proc"
  mount -t tmpfs tmpfs "$folder/$1/dev/shm"
  chroot "$folder/$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    /bin/bash -c "set -euo pipefail; cd /root; $(declare -f try_there); try_there $2"
}

"$source/tool/bundle.sh" "$build" "$folder/bundle"
"$source/tool/wheel.py" "$build" "$folder/dist"
export folder cache source
export -f make_debian make_system try_there try_system
for system in "bullseye own" "bookworm host"; do
  unshare --mount --pid --fork --kill-child --mount-proc bash -c "try_system $system" &
  inside=$!
  wait $inside
  inside=
done
echo "the bundle and the wheel were tried in a bare Debian 11 and a bare Debian 12"
