#!/usr/bin/env python3
"""Measures the time that Open MPI's own MPI_Allreduce takes to add float arrays of two processes up, a core each.

usage: mpirun -n 2 mpi_sum.py FLOATS ROUNDS; rank 0 prints the median seconds
"""
import ctypes
import statistics
import subprocess
import sys
import time


def all_reduce_seconds(floats, cores, rounds=20):
    """Returns the median time in which two processes, on these cores, have the sum of `floats` numbers of each."""
    words = ["taskset", "-c", ",".join(map(str, cores)), "mpirun", "--allow-run-as-root", "--oversubscribe",
             "--bind-to", "none", "-n", "2", sys.executable, __file__, str(floats), str(rounds)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main():
    floats, rounds = map(int, sys.argv[1:])
    mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)

    def handle(name):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_byte.in_dll(mpi, name)))

    world, add, kind = (handle(f"ompi_mpi_{name}") for name in ("comm_world", "op_sum", "float"))
    mpi.MPI_Init(None, None)
    rank = ctypes.c_int()
    mpi.MPI_Comm_rank(world, ctypes.byref(rank))
    values, sums = ((ctypes.c_float * floats)() for _ in range(2))
    times = []
    for _ in range(rounds):
        mpi.MPI_Barrier(world)
        start = time.monotonic()
        mpi.MPI_Allreduce(values, sums, floats, kind, add, world)
        times.append(time.monotonic() - start)
    mpi.MPI_Finalize()
    if rank.value == 0:
        print(statistics.median(times))


if __name__ == "__main__":
    main()
