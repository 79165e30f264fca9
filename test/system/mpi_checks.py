"""Checks jobs whose gradients travel by Open MPI (cluster.all_reduce.backend: kMpi)."""
import contextlib
import json
import os
from signal import SIGKILL, SIGSTOP, SIGTERM

from case import equal, has, learned, same_bytes, true
from group_checks import furthest
from job import mlp
from launch_case import expect_the_same, process_of, reach, write_job
from mpirun_checks import mpirun, plain_mpirun
from process_checks import processes

MPI = "cluster.all_reduce.backend=kMpi"
APART = "cluster.share_memory=false"


def with_mpi(one, *settings, count=2, resume=(), **kind):
    return mpirun(one, "-conf", "job.conf", *resume, *processes(count, MPI, *settings), **kind)


def mpi_computes_what_memory_and_servers_do(one):
    """Each mode ends with the bytes of servers, which add up in the same order."""
    one.write("three", "localhost slots=3\n")
    one.write("job.conf", mlp(one.site.data, "train_steps: 25 disp_freq: 5", batch=50))
    modes = {
        "plain": (),
        "buckets": ("cluster.all_reduce.fusion_elements=1000",),
        "halves": ("cluster.all_reduce.compression=kFp16",),
        "largest": ("cluster.all_reduce.compression=kTopK", "cluster.all_reduce.sparsity=0.02"),
        "own": ("cluster.all_reduce.compression=kTopK", "cluster.all_reduce.sparsity=0.02", "updater.clip_norm=0.1"),
        "skip": ("on_nonfinite=kSkip",),
        "clip": ("updater.clip_norm=0.1",),
        "units": ("neuralnet.partition_dim=1",),
        "thin": ("cluster.all_reduce.compression=kPowerSGD",),
        "partial": ("cluster.all_reduce.compression=kPartial", "cluster.all_reduce.fusion_elements=1000"),
    }
    for name, settings in modes.items():
        for count, hosts in ((2, one.site.root / "conf/hostfile"), (3, one.path("three"))):
            workspace = f"{name}-{count}"
            job = with_mpi(one, f"cluster.workspace={workspace}", *settings, count=count, hostfile=hosts).end(0)
            has(job.err, "gradients by MPI", "stderr")
            one.train("job.conf", *processes(count, APART, "cluster.all_reduce.backend=kAnyBackend", *settings),
                      workspace="servers")
            same_bytes(one.newest(workspace), one.newest("servers"))


def mpi_adds_up_gradients_that_come_in_pieces(one):
    """The gradient of w1 is handed on in pieces, which the next pieces overwrite."""
    one.write("job.conf", mlp(one.site.data, "train_steps: 10 disp_freq: 5", batch=50, hidden=1500))
    modes = {"plain": (), "thin": ("cluster.all_reduce.compression=kPowerSGD",), "clip": ("updater.clip_norm=0.1",)}
    for name, settings in modes.items():
        with_mpi(one, f"cluster.workspace={name}", *settings).end(0)
        one.train("job.conf", *processes(2, APART, "cluster.all_reduce.backend=kAnyBackend", *settings),
                  workspace="servers")
        same_bytes(one.newest(name), one.newest("servers"))


def many_ranks_of_uneven_parts_end_where_one_worker_does(one):
    """50 records are no multiple of the ranks."""
    one.write("job.conf", mlp(one.site.data, "train_steps: 20", batch=50))
    one.train("job.conf")
    worst = 0
    for count in (4, 7, 8):
        one.write("many", f"localhost slots={count}\n")
        with_mpi(one, f"cluster.workspace=ranks-{count}", count=count, hostfile=one.path("many")).end(0)
        worst = max(worst, furthest(one.newest("ws"), one.newest(f"ranks-{count}")))
    true(worst < 1e-5, f"ends {worst} off")


def gradients_that_each_process_clips_resume_to_the_same_bytes(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 20 disp_freq: 1"))
    settings = ("cluster.all_reduce.compression=kTopK", "cluster.all_reduce.sparsity=0.02", "updater.clip_norm=0.1")
    for policy in ("kAbort", "kSkip"):
        more = (*settings, f"on_nonfinite={policy}")
        with_mpi(one, f"cluster.workspace=whole-{policy}", *more).end(0)
        with_mpi(one, f"cluster.workspace={policy}", *more, "train_steps=7").end(0)
        with_mpi(one, f"cluster.workspace={policy}", *more, resume=["-resume"]).end(0)
        same_bytes(one.newest(policy), one.newest(f"whole-{policy}"))
        equal(learned(one.rows(policy, "train")), learned(one.rows(f"whole-{policy}", "train")), "rows")


def mpi_is_used_where_memory_is_not_shared(one):
    """mpirun has started the job, all_reduce is set, and nothing is named."""
    one.write("job.conf", mlp(one.site.data, "train_steps: 5"))
    words = processes(2, APART, "cluster.all_reduce.fusion_elements=1000")
    err = mpirun(one, "-conf", "job.conf", *words).end(0).err
    has(err, "gradients by MPI (Open MPI has started the job)", "stderr")
    true("has no effect" not in err, f"a warning: {err}")
    words = processes(2, "cluster.all_reduce.compression=kNone")
    has(mpirun(one, "-conf", "job.conf", *words).end(0).err, "gradients by shared host memory", "stderr")


def mpi_without_mpirun_is_an_error(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 5"))
    err = one.run("-conf", "job.conf", *processes(2, MPI), code=78).err
    has(err, "cluster.all_reduce.backend: error: kMpi needs mpirun to start the job: mpirun -n 2 singa", "stderr")


def bench_measures_the_workers_that_mpirun_starts(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 5"))
    words = ("-steps", 5, "job.conf", *processes(2, MPI))
    lines = plain_mpirun(one, "bench", "-json", *words).end(0).out.splitlines()
    rows = [json.loads(line) for line in lines]
    equal([row["layer"] for row in rows if "layer" in row].count("fc1"), 1, "lines of a layer")
    equal(rows[-1]["processes"], 2, "processes")
    true(rows[-1]["sync"].startswith("MPI"), f"another way: {rows[-1]}")
    true(rows[-1]["communication_ms"] > 0 and rows[-1]["bytes_sent"] > 0, f"nothing is sent: {rows[-1]}")
    equal(list(one.path("ws").glob("*")), [], "files")
    has(one.run("bench", *map(str, words)).err, "kMpi needs mpirun: mpirun -n 2 singa bench FILE", "stderr")
    has(plain_mpirun(one, "bench", "-steps", 1, "job.conf", *processes(3, MPI)).end(78).err,
        "3 processes, 2 were started", "stderr")


def a_job_of_mpi_that_loses_a_process_ends_and_resumes(one):
    write_job(one)
    job = with_mpi(one)
    reach(one, job, 800)
    os.kill(process_of(one, "OMPI_COMM_WORLD_RANK", 1), SIGKILL)
    equal(job.end().popen.returncode, 128 + SIGKILL, "exit code of mpirun")
    with_mpi(one, resume=["-resume"]).end(0)
    expect_the_same(one)


def a_process_of_mpi_that_stands_still_is_named(one):
    write_job(one)
    for rank in (1, 0):
        job = with_mpi(one, "cluster.peer_timeout=2", resume=["-resume"])
        reach(one, job, 800 - 500 * rank)
        stopped = process_of(one, "OMPI_COMM_WORLD_RANK", rank)
        os.kill(stopped, SIGSTOP)
        job.wait_until(lambda: f"process {rank} " in job.err, "the name of the process")
        job.wait_until(lambda: "170" in job.err or not job.running(), "its exit code")
        with contextlib.suppress(ProcessLookupError):  # mpirun may have ended it
            os.kill(stopped, SIGKILL)
        true(job.end().popen.returncode != 0, "mpirun says that the job has ended well")
        has(job.err, "170", "stderr")


def a_job_of_mpi_ends_with_a_checkpoint_after_a_signal(one):
    write_job(one)
    job = with_mpi(one)
    reach(one, job, 400)
    os.killpg(job.popen.pid, SIGTERM)
    has(job.end(143).err, "stopped by a signal at step ", "stderr")
    with_mpi(one, resume=["-resume"]).end(0)
    expect_the_same(one)


def a_gradient_that_is_not_finite_ends_a_job_of_mpi(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 50"))
    job = with_mpi(one, "updater.learning_rate.base_lr=1e30").end(79)
    has(job.err, "is not finite", "stderr")


def processes_that_differ_are_refused(one):
    """Each process reads job.conf and the data where it is."""
    one.write("job.conf", mlp("data", "train_steps: 5"))
    names = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
    for name in names:
        data = (one.site.data / name).read_bytes()
        one.write(f"data/{name}", data)
        one.write(f"other/data/{name}", data[:5000] + bytes(1000) + data[6000:])
    words = ["-conf", one.path("job.conf").resolve(), *processes(2), "-set",
             f"cluster.workspace={one.path('ws').resolve()}"]
    conf = "job.conf, or a setting by -set, is not as in process 0: seed is 7, and not set in process 0"
    data = 'the data of layer "data" is not as in process 0'
    for backend in ("kAnyBackend", "kServers", "kMpi"):
        both = [*words, "-set", f"cluster.all_reduce.backend={backend}"]
        for folder, settings, why in ((".", ["-set", "seed=7"], conf), ("other", [], data)):
            ranks = [["-n", "1", "-wdir", one.path(place).resolve(), one.site.binary, *both, *more]
                     for place, more in ((".", []), (folder, settings))]
            job = one.start_program(["mpirun", "--allow-run-as-root", "--oversubscribe",
                                     *map(str, [*ranks[0], ":", *ranks[1]])]).end(78)
            has(job.err, "process 1 (", "stderr")
            has(job.err, f"has ended: {why}", "stderr")


CHECKS = [mpi_computes_what_memory_and_servers_do, mpi_adds_up_gradients_that_come_in_pieces,
          many_ranks_of_uneven_parts_end_where_one_worker_does,
          gradients_that_each_process_clips_resume_to_the_same_bytes,
          mpi_is_used_where_memory_is_not_shared,
          mpi_without_mpirun_is_an_error,
          bench_measures_the_workers_that_mpirun_starts,
          a_job_of_mpi_that_loses_a_process_ends_and_resumes,
          a_process_of_mpi_that_stands_still_is_named,
          a_job_of_mpi_ends_with_a_checkpoint_after_a_signal,
          a_gradient_that_is_not_finite_ends_a_job_of_mpi,
          processes_that_differ_are_refused]
