#!/usr/bin/env bash
# Makes the Debian packages of a complete build, and tries them: packages.sh lint|try BUILD [CACHE].
#
#   lint   lintian must find no errors; it prints warnings
#   try    the same; then it installs the packages in a bare Debian 12 that has none of the build's
#          packages, trains the digits example there, and prints the seconds from `apt-get install`
#          to the first trained step. It takes some minutes, most of them for debootstrap. The
#          folder CACHE keeps the bare system for the next time.
#
# Needs cpack and lintian; try also root, debootstrap and Debian's mirrors, as apt of this machine
# names them. All mounts and processes are in namespaces of their own, and end with this script.
set -euo pipefail
. "$(dirname "$0")/debian_root.sh"
part=${1:-}
case $part:$# in
  lint:2 | try:2 | try:3) ;;
  *) echo "usage: packages.sh lint|try BUILD [CACHE]" >&2; exit 2 ;;
esac
build=$(realpath "$2")
base=${3:+$(realpath "$3")/debian12.tar}
least_accuracy=0.9
folder=$(mktemp -d /var/tmp/singa-packages-XXXXXX)
inside=
finish() {
  [ -z "$inside" ] || kill -KILL "$inside" 2>/dev/null || true
  wait
  rm -rf --one-file-system "$folder"
}
trap finish EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT

make_packages() {
  cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; return 1; }
  rm -rf "$folder/_CPack_Packages"
  ls -s --block-size=KiB "$folder"/*.deb
  lintian --allow-root --tag-display-limit 0 --fail-on error "$folder"/*.deb
}

# The bare system in $folder/root.
make_system() {
  if [ -n "$base" ] && [ -f "$base" ]; then
    tar -C "$folder" -xf "$base"
  else
    make_debian "$folder/root"
    [ -z "$base" ] || { tar -C "$folder" -cf "$base.new" root && mv "$base.new" "$base"; }
  fi
  let_apt_work "$folder/root"
  cp "$folder"/*.deb "$folder/root/root"
}

# Runs in the bare system, in /root.
train_there() {
  export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
  local install=(apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends) begin first
  apt-get -qq update
  ! dpkg -l | grep -E 'protobuf|glog|dnnl' || { echo "the system is not bare" >&2; return 1; }
  begin=$(date +%s.%N)
  "${install[@]}" ./singa_*.deb ./libsinga0_*.deb >/dev/null
  singa --version
  cp -r /usr/share/doc/singa/examples .
  singa data digits examples/digits/data
  singa -conf examples/digits/job.conf -set train_epochs=2 -set disp_freq=1 2>&1 | tail -n 3
  first=$(grep -m 1 '"phase":"train"' singa-digits/metrics.jsonl)
  sed -E 's/.*"time":([0-9.]+).*/\1/' <<<"$first" |
    awk -v begin="$begin" '{ printf "installation to first trained step: %.1f s\n", $1 - begin }'
  sed -nE 's/.*"phase":"test".*"accuracy":([0-9.]+).*/\1/p' singa-digits/metrics.jsonl | tail -n 1 |
    awk -v least=$least_accuracy '{ n = 1; if ($1 < least) { print "accuracy " $1; exit 1 } }
                                  END { if (!n) { print "no accuracy"; exit 1 } }'
  for file in man/man1/singa-train.1.gz bash-completion/completions/singa \
    zsh/vendor-completions/_singa doc/singa/reference.conf doc/singa/guide/README.md; do
    dpkg -L singa | grep -qx "/usr/share/$file" || { echo "$file is not packaged" >&2; return 1; }
  done
  "${install[@]}" ./libsinga-dev_*.deb g++ cmake make >/dev/null
  singa new layer scale scale
  cmake -S scale -B scale/build >/dev/null
  cmake --build scale/build
  ctest --test-dir scale/build --output-on-failure | grep 'tests passed'
}

# Runs as process 1 of new namespaces.
try_packages() {
  set -euo pipefail
  make_system
  mount -t proc proc "$folder/root/proc"
  mount -t tmpfs tmpfs "$folder/root/dev/shm"
  chroot "$folder/root" /usr/bin/env -i \
    /bin/bash -c "set -euo pipefail; cd /root
      least_accuracy=$least_accuracy; $(declare -f train_there); train_there"
}

make_packages
[ "$part" = try ] || exit 0
export folder base least_accuracy
export -f make_debian let_apt_work make_system train_there try_packages
unshare --mount --pid --fork --kill-child --mount-proc bash -c try_packages &
inside=$!
wait $inside
inside=
echo "the packages were tried in a bare Debian 12"
