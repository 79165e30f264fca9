#!/usr/bin/env python3
"""Runs jobs whose processes are started by mpirun, srun or others, with the files of tool/launch.
They run on this host, and on two hosts that are network namespaces. Other jobs meet the system's
limits.

usage: launchers.py BUILD [WORD...]; WORDs choose the checks whose names hold one of them.
Prints a line a check and exits 1 where one failed. What this machine cannot do is LEFT OUT, loudly.
"""
import collections
import pathlib
import signal
import sys
import tempfile
import time
import traceback

import case
import host_checks
import launch_case
import limit_checks
import mpi_checks
import mpirun_checks
import network_checks
import slurm_checks

ROOT = pathlib.Path(__file__).resolve().parents[2]
Site = collections.namedtuple("Site", "binary root data expected slurm hosts")


def run(site, check, folder):
    """Prints the check's line. Returns ok, FAIL or LEFT OUT."""
    one = case.Case(site, folder)
    folder.mkdir()
    start = time.monotonic()
    text = ""
    try:
        check(one)
        result = "ok"
    except launch_case.LeftOut as error:
        result, text = "LEFT OUT", f": {error}"
    except Exception:  # case.Failure, or any other error of a check
        result, text = "FAIL", "\n" + traceback.format_exc()
    finally:
        one.end()
        launch_case.kill_all(folder.resolve(), signal.SIGKILL)
    print(f"{result:<4} {check.__name__} ({time.monotonic() - start:.1f} s){text}", flush=True)
    return result


def main(build, words):
    checks = [check for module in (mpirun_checks, mpi_checks, slurm_checks, host_checks, network_checks,
                             limit_checks)
              for check in module.CHECKS
              if not words or any(word in check.__name__ for word in words)]
    results = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="singa-launchers-") as place:
        place = pathlib.Path(place)
        slurm, hosts = slurm_checks.Slurm(place / "slurm"), host_checks.Hosts()
        site = Site(pathlib.Path(build).resolve() / "bin/singa", ROOT, place / "digits",
                    place / "expected", slurm, hosts)
        case.Case(site, place).run("data", "digits", site.data)
        try:
            for check in checks:
                results[run(site, check, place / check.__name__)] += 1
        finally:
            slurm.stop()
            hosts.stop()
    print(f"{results['ok']} passed, {results['FAIL']} failed, {results['LEFT OUT']} left out")
    return results["FAIL"] > 0 or not checks


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
