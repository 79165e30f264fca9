#!/usr/bin/env bash
# Runs a job by Open MPI, a process in each slot of the hostfile:
# tool/launch/mpirun.sh -conf job.conf [more words of singa's]. README.md beside it has the variables.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
hostfile=${HOSTFILE:-$root/conf/hostfile}
singa=${SINGA:-$root/build/bin/singa}

# mpirun binds each process to a core; singa's threads are to have all of the host's.
options=(--hostfile "$hostfile" --bind-to none)
# From SIGTERM to SIGKILL: a checkpoint must be written in between.
options+=(--mca odls_base_sigkill_timeout "${STOP_SECONDS:-5}")
[ "$(id -u)" != 0 ] || options+=(--allow-run-as-root)

words=()
first=$(awk '!/^[[:space:]]*(#|$)/ { print $1; exit }' "$hostfile")
if [ "$first" != localhost ]; then  # several hosts; the words that follow may say another
  words=(-set "cluster.coordinator=$first:0")
fi
exec mpirun "${options[@]}" "$singa" "${words[@]}" "$@"
