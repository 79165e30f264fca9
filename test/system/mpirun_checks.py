"""Checks jobs that Open MPI starts, by tool/launch/mpirun.sh."""
import os
import pathlib
import time
from signal import SIGCONT, SIGINT, SIGKILL, SIGSTOP, SIGTERM

from case import LIMIT_S, equal, has, same_bytes, true
from job import mlp
from launch_case import TWO, expect_the_same, launched, process_of, reach, write_job
from process_checks import processes

LEAST_ACCURACY = 0.96
DIGITS = ["-conf", "examples/digits/job.conf", "-set", "train_epochs=4", *TWO]


def mpirun(one, *words, hostfile="conf/hostfile", variables=()):
    root = one.site.root
    return one.start_program(["setsid", "env", f"SINGA={one.site.binary}", f"HOSTFILE={root / hostfile}",
                              "STOP_SECONDS=1", *variables, root / "tool/launch/mpirun.sh",
                              *map(str, words)])


def plain_mpirun(one, *words):
    """Starts two processes of `singa` with these words, as a user types it."""
    return one.start_program(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2",
                              one.site.binary, *map(str, words)])


def the_digits_trained_by_mpirun_are_those_of_singa_itself(one):
    (one.folder / "examples/digits").mkdir(parents=True)
    (one.folder / "examples/digits/data").symlink_to(one.site.data)
    (one.folder / "examples/digits/job.conf").symlink_to(
        one.site.root / "examples/digits/job.conf")
    job = mpirun(one, *DIGITS, "-set", "cluster.workspace=mpi").end(0)
    has(job.err, "2 processes", "stderr")
    accuracy = one.rows("mpi", "test")[-1]["accuracy"]
    true(accuracy >= LEAST_ACCURACY, f"test accuracy {accuracy}")
    one.run(*DIGITS, "-set", "cluster.workspace=own")
    same_bytes(one.newest("mpi"), one.newest("own"))


def another_number_of_processes_than_the_jobs_is_an_error(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 10"))
    one.write("three", "localhost slots=3\n")
    for words, hostfile, line in ((TWO, one.path("three"), "2 processes, 3 were started"),
                                  (processes(3), "conf/hostfile", "3 processes, 2 were started"),
                                  ((), "conf/hostfile", "1 process, 2 were started")):
        err = mpirun(one, "-conf", "job.conf", *words, hostfile=hostfile).end(78).err
        has(err, f"error: cluster: makes {line} (OMPI_COMM_WORLD_SIZE); start {line.split()[0]}, or change ", "stderr")
        true(not one.path("ws/checkpoint").exists(), "a checkpoint of a job that cannot run")


def a_job_that_mpirun_is_asked_to_stop_resumes_to_the_same_bytes(one):
    write_job(one)
    for number, code, step in ((SIGTERM, 143, 200), (SIGINT, 130, 600)):
        job = mpirun(one, "-conf", "job.conf", "-resume", *TWO)
        reach(one, job, step)
        os.killpg(job.popen.pid, number)  # as a terminal does
        has(job.end(code).err, "stopped by a signal at step ", "stderr")
    mpirun(one, "-conf", "job.conf", "-resume", *TWO).end(0)
    expect_the_same(one)


def mpirun_ends_a_job_that_does_not_stop(one):
    """A step that never ends keeps the job from answering the first signal."""
    write_job(one)
    job = mpirun(one, "-conf", "job.conf", *TWO,
                 variables=["SINGA_FAILPOINTS=follower_told=delay:1000000000"])
    job.wait_until(lambda: "follower_told" in job.err, "a process that stands still")
    for _ in range(2):
        os.killpg(job.popen.pid, SIGINT)
        job.ends_within(1)  # sooner the second signal would be the first
    true(job.end().popen.returncode != 0, "mpirun.sh says that the job has ended well")
    equal(launched(one.folder.resolve()), {}, "processes that are left")


def state_of(process):
    """Returns "S": the process sleeps, "R": it runs, "T": it was stopped."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def children_of(process):
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


STAND_IN = """#!/bin/bash
trap 'echo got USR1 >&2' USR1
trap 'echo got TERM >&2' TERM
echo up >&2
until [ -e done ]; do sleep 0.01; done
exit 143
"""


def sleeps(process):
    return all(state_of(process) == "S" for _ in range(1000))


def a_signal_that_is_delivered_twice_is_one_request(one):
    one.write("bin/mpirun", STAND_IN).chmod(0o755)
    job = mpirun(one, "-conf", "job.conf",
                 variables=[f"PATH={one.path('bin').resolve()}:{os.environ['PATH']}",
                            "BASH_FUNC_read%%=() { now=1.00; }"])  # the clock stands still
    job.wait_until(lambda: "up" in job.err, "the start of mpirun")
    job.send(SIGINT)
    job.wait_until(lambda: "got USR1" in job.err and sleeps(job.popen.pid), "the first signal")
    job.send(SIGTERM)
    job.wait_until(lambda: sleeps(job.popen.pid), "the second signal")
    one.write("done", "")
    job.end(130)
    true("got TERM" not in job.err, f"the second signal kills the job\n{job.err}")


def the_script_sleeps_while_mpirun_is_stopped(one):
    write_job(one)
    job = mpirun(one, "-conf", "job.conf", *TWO, "-set", "train_steps=100000000")
    reach(one, job, 50)
    child, = children_of(job.popen.pid)
    os.kill(int(child), SIGSTOP)
    job.wait_until(lambda: state_of(child) == "T", "the stop of mpirun")
    job.wait_until(lambda: sleeps(job.popen.pid), "its sleep")
    os.kill(int(child), SIGCONT)
    job.send(SIGTERM)
    job.end(143)


def mpirun_ends_a_job_that_has_lost_a_process(one):
    write_job(one)
    for rank in (1, 0):
        job = mpirun(one, "-conf", "job.conf", "-resume", *TWO)
        reach(one, job, 800 - 500 * rank)
        os.kill(process_of(one, "OMPI_COMM_WORLD_RANK", rank), SIGKILL)
        equal(job.end().popen.returncode, 128 + SIGKILL, "exit code of mpirun")
        has(job.err, f"process rank {rank}", "stderr")
    mpirun(one, "-conf", "job.conf", "-resume", *TWO).end(0)
    expect_the_same(one)


def interrupt_until_it_ends(job):
    """Sends SIGINT again and again. mpirun ends at the second one and leaves its processes."""
    while not job.ends_within(0.1):
        job.send(SIGINT)


def a_job_ends_with_a_checkpoint_when_mpirun_is_gone(one):
    write_job(one)
    for workspace, start, end in (("killed", plain_mpirun, lambda job: job.send(SIGKILL)),
                                  ("interrupted", plain_mpirun, interrupt_until_it_ends),
                                  ("script", mpirun, lambda job: job.send(SIGKILL))):
        place = ["-set", f"cluster.workspace={workspace}"]
        job = start(one, "-conf", "job.conf", *TWO, *place, "-set", "train_steps=100000000")
        reach(one, job, 200, workspace)
        end(job)
        job.popen.wait()
        limit = time.monotonic() + LIMIT_S
        while launched(one.folder.resolve()):
            true(time.monotonic() < limit, "processes train on without mpirun")
        last = one.steps(workspace)[-1]
        one.run("-conf", "job.conf", *TWO, *place, "-resume", "-set", f"train_steps={last + 2}")
        equal(one.steps(workspace)[-1], last + 2, "last step")


def a_test_by_mpirun_is_one_test(one):
    write_job(one)
    conf = ["-conf", "job.conf", *TWO, "-set", "train_steps=20"]
    mpirun(one, *conf).end(0)
    job = mpirun(one, *conf, "-test").end(0)
    equal(job.err.count("params from "), 1, f"processes that test\n{job.err}")
    equal(len(one.rows(phase="test")), 1, "rows of tests")
    images = "neuralnet.layer[data@kTest].store_conf.path=short"
    one.write("short", (one.site.data / "t10k-images-idx3-ubyte").read_bytes()[:-1])
    job = mpirun(one, *conf, "-test", "-set", images).end(65)
    equal(job.err.count(f"-set {images.split('=')[0]}: error: short: has "), 1, f"errors\n{job.err}")


def what_is_for_one_process_is_done_once_under_mpirun(one):
    write_job(one)
    one.run("-conf", "job.conf", "-set", "train_steps=20")
    images = one.site.data / "t10k-images-idx3-ubyte"
    for words in (["check", "job.conf"], ["graph", "job.conf"], ["ckpt", "verify", "ws"],
                  ["data", "stat", images], ["predict", "-conf", "job.conf", images]):
        alone, job = one.run(*words), plain_mpirun(one, *words).end(0)
        equal(job.out, alone.out, f"stdout of {words}")
        equal(job.err.count("one process of 2 does this alone (OMPI_COMM_WORLD_SIZE)"), 1,
              f"stderr of {words}\n{job.err}")
    job = plain_mpirun(one, "bench", "job.conf", "-steps", 1).end(0)
    equal(job.out.count("fc1 "), 1, "tables of bench")
    plain_mpirun(one, "data", "convert", images, "digits.bin").end(0)
    plain_mpirun(one, "ckpt", "export", "ws", "net.safetensors").end(0)
    true(one.path("digits.bin").exists() and one.path("net.safetensors").exists(), "no files")
    plain_mpirun(one, "ckpt", "verify", "none").end(66)


CHECKS = [the_digits_trained_by_mpirun_are_those_of_singa_itself,
          another_number_of_processes_than_the_jobs_is_an_error,
          a_job_that_mpirun_is_asked_to_stop_resumes_to_the_same_bytes,
          a_signal_that_is_delivered_twice_is_one_request,
          the_script_sleeps_while_mpirun_is_stopped,
          mpirun_ends_a_job_that_does_not_stop,
          mpirun_ends_a_job_that_has_lost_a_process,
          a_job_ends_with_a_checkpoint_when_mpirun_is_gone,
          a_test_by_mpirun_is_one_test,
          what_is_for_one_process_is_done_once_under_mpirun]
