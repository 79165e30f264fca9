#!/usr/bin/env bash
# Runs a job by Slurm, a process a task: sbatch --ntasks=2 tool/launch/slurm.sh -conf job.conf
# [more words of singa's]. README.md beside it has the variables.
#SBATCH --job-name=singa
#SBATCH --open-mode=append
#SBATCH --requeue
# Two minutes before the time limit: singa commits a checkpoint and ends.
#SBATCH --signal=TERM@120
set -euo pipefail
singa=${SINGA:-$SLURM_SUBMIT_DIR/build/bin/singa}

words=("$@")
if [ "$SLURM_JOB_NUM_NODES" -gt 1 ]; then  # the first task runs on the first host
  hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
  words+=(-set "cluster.coordinator=${hosts%%$'\n'*}:0")
fi
resume() { [[ " ${words[*]} " =~ " -resume " ]] || words+=(-resume); }
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || resume

# 137: a process was killed; 170: others have lost it; 171: one stood still. All go on from the last
# checkpoint, after pauses that let a disturbance pass. A start that ran for ten minutes forgives the
# losses before it.
pauses=(0 2 8) losses=0
# --wait=0: a task that ends before the others does not end them, whatever Slurm's WaitTime says.
while true; do
  code=0
  began=$SECONDS
  srun --ntasks="$SLURM_NTASKS" --wait=0 --kill-on-bad-exit=1 "$singa" "${words[@]}" || code=$?
  case $code in
    137 | 170 | 171) resume ;;
    *) break ;;
  esac
  [ $((SECONDS - began)) -lt 600 ] || losses=0
  [ "$losses" -lt ${#pauses[@]} ] || break
  sleep "${pauses[losses]}"
  losses=$((losses + 1))
done
exit "$code"
