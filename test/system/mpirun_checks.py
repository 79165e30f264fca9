"""Jobs that Open MPI starts, by tool/launch/mpirun.sh."""
import os
from signal import SIGKILL, SIGTERM

from case import equal, has, same_bytes, true
from job import mlp
from launch_case import TWO, expect_the_same, process_of, reach, write_job
from process_checks import processes

LEAST_ACCURACY = 0.96
DIGITS = ["-conf", "examples/digits/job.conf", "-set", "train_epochs=4", *TWO]


def mpirun(one, *words, hostfile="conf/hostfile"):
    root = one.site.root
    return one.start_program(["env", f"SINGA={one.site.binary}", f"HOSTFILE={root / hostfile}",
                              "STOP_SECONDS=1", root / "tool/launch/mpirun.sh",
                              *map(str, words)])


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
        has(err, f"singa: error: job.conf's cluster has {line} (OMPI_COMM_WORLD_SIZE)\n", "stderr")
        true(not one.path("ws/checkpoint").exists(), "a checkpoint of a job that cannot run")


def a_job_that_mpirun_is_asked_to_stop_resumes_to_the_same_bytes(one):
    write_job(one)
    job = mpirun(one, "-conf", "job.conf", *TWO)
    reach(one, job, 200)
    job.send(SIGTERM)
    true(job.end().popen.returncode != 0, "mpirun says that the job has ended well")
    has(job.err, "stopped by a signal at step ", "stderr")
    mpirun(one, "-conf", "job.conf", "-resume", *TWO).end(0)
    expect_the_same(one)


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


CHECKS = [the_digits_trained_by_mpirun_are_those_of_singa_itself,
          another_number_of_processes_than_the_jobs_is_an_error,
          a_job_that_mpirun_is_asked_to_stop_resumes_to_the_same_bytes,
          mpirun_ends_a_job_that_has_lost_a_process]
