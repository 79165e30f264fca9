# shellcheck shell=bash disable=SC2154
# The part "sanitizer" of tool/test_gpu.sh: NVIDIA's, over the tests on a GPU. $bin, $limit_s, $out:
# its own. TOOLS ("memcheck racecheck") chooses some, SHARDS how many processes share the tests of a
# room: as many as there are cores, 4 at most.

# TOOL ROOM FILTER [OPTION...]. The tests judge what a call returns: some ask for too much, to see the
# error. A shard's log is TOOL-ROOM-SHARD.log.
sanitize() {
  local shards shard bad=0 status pids=() log program=$bin/test_$2
  # In a bundle that file starts another, and the sanitizer looks into what it starts itself.
  [ ! -d "$bin/bin" ] || program=$bin/bin/test_$2
  shards=${SHARDS:-$(nproc)}
  [ "$shards" -le 4 ] || shards=4
  for ((shard = 0; shard < shards; ++shard)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard timeout "$limit_s" \
      "$sanitizer" --error-exitcode 1 --report-api-errors no --tool "$1" "${@:4}" \
      "$program" --gtest_brief=1 --gtest_filter="$3" > "$out/$1-$2-$shard.log" 2>&1 &
    pids+=($!)
  done
  for ((shard = 0; shard < shards; ++shard)); do
    log=$out/$1-$2-$shard.log
    status=0
    wait "${pids[$shard]}" || status=$?
    grep -h '^\[  PASSED\|^\[  FAILED\|SUMMARY' "$log" || true
    [ $status != 0 ] || continue
    bad=1
    if [ $status = 124 ]; then
      echo "$1 of test_$2, shard $shard of $shards, was not done within $limit_s s" >&2
    else
      echo "$1 found something in test_$2, or that failed: $log" >&2
      tail -20 "$log" >&2
    fi
  done
  return $bad
}

# Runs over the rooms in ROOMS, or all that have kernels or calls of CUDA. Finite differences of layers
# are left out, since they call the same kernels hundreds of times. Races are looked for in our own
# kernels, which have the namespace in their names.
run_sanitizer() {
  local room filter sanitizer tool bad=0
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  if [ ! -x "$sanitizer" ]; then
    echo "LEFT OUT: memcheck and racecheck: compute-sanitizer is not installed" >&2
    return
  fi
  for room in ${ROOMS:-tensor math nn train}; do
    filter='*cuda*'
    [ "$room" != nn ] || filter+='-*Differences*'
    for tool in ${TOOLS:-memcheck racecheck}; do
      if [ "$tool" = memcheck ]; then
        sanitize memcheck "$room" "$filter" || bad=1
      elif [ "$room" != tensor ]; then  # that room has no kernels
        sanitize racecheck "$room" "$filter" --kernel-name kernel_substring=singa || bad=1
      fi
    done
  done
  return $bad
}
