# shellcheck shell=bash disable=SC2016
# For bash scripts that `source` it: make_debian ROOT [CODENAME] makes a bare Debian in the folder
# ROOT, by default Debian 12. It needs root, debootstrap and Debian's mirrors, as apt of this machine,
# a Debian 12, names them.

make_debian() {
  local root=$1 codename=${2:-bookworm} mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' \
    'Codename: bookworm' | head -n 1)
  echo "debootstrap from $mirror" >&2
  debootstrap --variant=minbase "$codename" "$root" "$mirror" >"$root.log" ||
    { tail "$root.log" >&2; return 1; }
}

# let_apt_work ROOT: apt in there takes packages, with their security updates, from the same mirrors.
let_apt_work() {
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' >"$1/etc/apt/sources.list"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
}
