#!/usr/bin/env python3
"""Trains small jobs by one group of 3, 5, 6 and 7 workers in each topology of its processes:
threads, shared memory, tcp, all_reduce; 1, 2 and 3 workers a process. All topologies of a job must
end in the same bytes, also if the job continues in another one. It takes some ten minutes.

usage: sum_topologies.py BINARY [NET]...
"""
import random
import sys
import tempfile

import case
import run
import sum_checks


def main(binary, words):
    failures = 0
    with tempfile.TemporaryDirectory(prefix="singa-sums-") as folder:
        site = run.Site(binary, folder)
        one = case.Case(site, folder)
        one.run("data", "digits", site.data)
        for name in sum_checks.write_nets(one):
            if words and name not in words:
                continue
            for workers in (3, 5, 6, 7):
                ways = sum_checks.ways(workers)
                moves = random.Random(workers).sample(ways, min(4, len(ways)))
                try:
                    sum_checks.expect_same(one, name, workers, ways[1:])
                    sum_checks.expect_same_when_moved(one, name, workers, moves)
                    print(f"ok   {name}, {workers} workers: {len(ways)} ways; moved {moves}", flush=True)
                except case.Failure as error:
                    failures += 1
                    print(f"FAIL {error}", flush=True)
        one.end()
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
