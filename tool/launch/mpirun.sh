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

# mpirun answers SIGINT and SIGTERM with exit code 1, whatever its processes say. SIGUSR1 it passes
# on at once, and singa takes it as SIGTERM. So mpirun has a process group of its own, out of a
# terminal's reach, and ends with this script where setpriv can say so.
asked=0
asked_at=0
# shellcheck disable=SC2317  # traps call it
stop() {  # $1: the exit code that the signal asks for
  local now
  read -r now _ </proc/uptime
  now=${now/./}  # hundredths of a second
  if [ "$asked" = 0 ]; then
    asked=$1 asked_at=$now
    kill -USR1 "$mpirun" || true
    # In the background: a reader that has paused must not keep this script from the next signal.
    echo "mpirun.sh: the job stops after this step, with a checkpoint; one more signal kills it" >&2 &
  elif ((10#$now - 10#$asked_at >= 50)); then  # sooner it is the first, delivered twice
    kill -TERM "$mpirun" || true
  fi
}
with_this=(setpriv --pdeathsig TERM)
"${with_this[@]}" true 2>/dev/null || with_this=()
set -m
"${with_this[@]}" mpirun "${options[@]}" "$singa" "${words[@]}" "$@" </dev/null &
mpirun=$!
set +m  # else wait returns at once, again and again, while mpirun is stopped
trap 'stop 130' INT
trap 'stop 143' TERM HUP
while kill -0 "$mpirun" 2>/dev/null; do wait "$mpirun" || true; done
code=0
wait "$mpirun" || code=$?
# 138: of a process that was too young to take the signal.
if [ "$asked" != 0 ] && { [ "$code" = 143 ] || [ "$code" = 138 ]; }; then code=$asked; fi
exit "$code"
