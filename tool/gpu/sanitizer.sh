# shellcheck shell=bash disable=SC2154
# The part "sanitizer" of tool/test_gpu.sh: NVIDIA's, over the tests on a GPU. $bin: its own.

# TOOL ROOM FILTER [OPTION...]. What a call returns is the test's to judge: some ask for too much, to
# see what is said then.
sanitize() {
  local status=0
  timeout "$limit_s" "$sanitizer" --error-exitcode 1 --report-api-errors no --tool "$1" "${@:4}" \
    "$bin/test_$2" --gtest_brief=1 --gtest_filter="$3" > "$out/$1-$2.log" 2>&1 || status=$?
  tail -5 "$out/$1-$2.log"
  [ $status != 0 ] || return 0
  [ $status != 124 ] || echo "$1 of test_$2 was not done within $limit_s s" >&2
  [ $status = 124 ] || echo "$1 found something in test_$2, or that failed" >&2
  return 1
}

# Of the rooms in ROOMS, or all that have kernels or calls of CUDA. Of layers what is not finite
# differences, which call the same kernels hundreds of times. Races are looked for in kernels of ours,
# which have the namespace in their names.
run_sanitizer() {
  local room filter sanitizer bad=0
  sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
  if [ ! -x "$sanitizer" ]; then
    echo "LEFT OUT: memcheck and racecheck: compute-sanitizer is not installed" >&2
    return
  fi
  for room in ${ROOMS:-tensor math nn train}; do
    filter='*cuda*'
    [ "$room" != nn ] || filter+='-*Differences*'
    sanitize memcheck "$room" "$filter" || bad=1
    [ "$room" != tensor ] || continue  # it has no kernels
    sanitize racecheck "$room" "$filter" --kernel-name kernel_substring=singa || bad=1
  done
  return $bad
}
