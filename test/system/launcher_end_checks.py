"""Checks that a launcher which is gone leaves no process behind that trains on. A shell stands for
the launcher. Its processes become those of a program that reports their ends."""
import os
import pathlib
import shutil
import signal
import sys

from case import check, equal, has, true
from job import mlp
from launch_case import launched
from process_checks import processes

SETTINGS = "train_steps: 100000000 disp_freq: 1 seed: 3"
OF_TWO = ["0", "143"]  # the first process tells why the job ends
PMI_JOB = ["PMI_SIZE=2", "PMI_JOBID=uid"]
# The program starts a command and takes over the processes that it leaves. It prints a line with
# the exit code of each.
GUARDIAN = """import ctypes, os, subprocess, sys
assert ctypes.CDLL(None).prctl(36, 1) == 0  # PR_SET_CHILD_SUBREAPER
launcher = subprocess.Popen(sys.argv[1:])
while True:
    try:
        pid, status = os.wait()
    except ChildProcessError:
        break
    if pid != launcher.pid:
        print(os.waitstatus_to_exitcode(status), flush=True)
os._exit(0)
"""


def start(case, commands):
    """Starts a launcher of `commands`, each the words of `env`."""
    words = [word for command in commands for word in (*map(str, command), "end")]
    script = """while [ $# != 0 ]; do
  words=()
  while [ "$1" != end ]; do words+=("$1"); shift; done
  shift
  env "${words[@]}" &
done
wait"""
    return case.start_program([sys.executable, "-c", GUARDIAN, "env", "-i", "bash", "-c", script,
                               "bash", *words])


def rank(case, number, *variables, words=processes(2)):
    return [*PMI_JOB, f"PMI_RANK={number}", *variables, case.site.binary, "-conf", "job.conf",
            *words]


def end_launcher(job):
    """Kills the launcher and nothing else."""
    pid = job.popen.pid
    launcher, = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(launcher), signal.SIGKILL)


def reach(case, job, step):
    job.wait_until(lambda: case.last_step() >= step, f"step {step}")


def expect_a_stopped_job(case, job, codes):
    job.end(0)
    equal(sorted(job.out.split()), codes, "exit codes of what the launcher left")
    has(job.err, "stopped by a signal at step ", "stderr")
    last, = case.steps()
    case.train("job.conf", "-resume", "-set", f"train_steps={last + 2}")


@check
def processes_whose_launcher_is_gone_commit_a_checkpoint_and_end(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    job = start(case, [rank(case, number, f"PMI_FD={number + 10}") for number in (0, 1)])
    reach(case, job, 5)
    end_launcher(job)
    expect_a_stopped_job(case, job, OF_TWO)


@check
def a_process_in_a_script_of_a_launcher_that_is_gone_ends(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    wrapped = [[*rank(case, number, f"PMI_FD={number + 10}")[:4], "sh", "-c", '"$@"; exit $?', "sh",
                *rank(case, number)[3:]] for number in (0, 1)]
    job = start(case, wrapped)
    reach(case, job, 5)
    end_launcher(job)
    expect_a_stopped_job(case, job, OF_TWO)


@check
def a_job_that_a_launcher_starts_as_one_process_ends_with_it(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    for words in ((), processes(2)):
        one = [["OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1", case.site.binary, "-conf",
                "job.conf", *words]]
        job = start(case, one)
        reach(case, job, 5)
        end_launcher(job)
        expect_a_stopped_job(case, job, ["143"])
        shutil.rmtree(case.path("ws"))


@check
def a_launcher_that_is_gone_ends_a_job_that_loads(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    wait = "SINGA_FAILPOINTS=leader_loads/0=delay:1000000000"
    job = start(case, [rank(case, number, f"PMI_FD={number + 10}", wait) for number in (0, 1)])
    job.wait_until(lambda: "leader_loads" in job.err, "the load")
    end_launcher(job)
    job.end(0)
    equal(job.out.split(), ["143", "143"], "exit codes of what the launcher left")


@check
def processes_that_were_started_by_hand_outlive_the_shell(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))
    job = start(case, [rank(case, number) for number in (0, 1)])
    reach(case, job, 5)
    end_launcher(job)
    reach(case, job, case.last_step() + 500)
    found = [pid for ids in launched(case.folder.resolve()).values() for pid in ids]
    equal(len(found), 2, "processes of the job")
    for pid in found:
        os.kill(pid, signal.SIGTERM)
    expect_a_stopped_job(case, job, OF_TWO)
    true(not list(case.path("ws").glob("launch-*")), "files of the start are left")
