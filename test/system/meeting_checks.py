"""Checks how the processes of a job meet: long loads, signals before all are there, files of an
earlier start, listening on all addresses."""
import os
import signal
import socket

from case import check, equal, has, same_bytes, true
from job import mlp
from launch_case import free_ports
from process_checks import APART, children, processes

SETTINGS = "train_steps: 20 disp_freq: 5 seed: 3"
TWO = processes(2, APART)
SOON_S = 30  # well below cluster.start_timeout, 60 s, after which waiting processes give up


def write_job(case):
    case.write("job.conf", mlp(case.site.data, SETTINGS))


def sets(**settings):
    return [word for name, value in settings.items()
            for word in ("-set", f"cluster.{name}={value}")]


def start(case, *words, failpoints="", rank=None, workspace="ws", count=2):
    """Starts the job as `singa` does, or its process of `rank` as PMI does."""
    env = [f"SINGA_FAILPOINTS={failpoints}"] if failpoints else []
    if rank is not None:
        env += [f"PMI_RANK={rank}", f"PMI_SIZE={count}", "PMI_JOBID=uid"]
    return case.start_program(["env", *env, case.site.binary, "-conf", "job.conf", "-set",
                               f"cluster.workspace={workspace}", *map(str, words)])


def endpoint_file(case, workspace="ws"):
    return case.path(f"{workspace}/launch-uid.endpoint")


def ends_soon(job, code):
    true(job.ends_within(SOON_S), "the signal did not end the process")
    return job.end(code)


@check
def a_load_longer_than_start_timeout_is_no_failure_to_meet(case):
    write_job(case)
    case.train("job.conf", *TWO, workspace="quick")
    slow = dict(failpoints="leader_loads/0=delay:6000")
    few = (*TWO, *sets(start_timeout=4))
    start(case, *few, **slow).end(0)
    same_bytes(case.newest(), case.newest("quick"))
    # All processes start at once here.
    port = free_ports(1)[0]
    start(case, *few, *sets(coordinator=f"127.0.0.1:{port}"), **slow, workspace="port").end(0)
    same_bytes(case.newest("port"), case.newest("quick"))
    for coordinator in ((), sets(coordinator=f"127.0.0.1:{port}")):
        jobs = [start(case, *few, *coordinator, **slow, rank=rank, workspace="pmi")
                for rank in (1, 0)]
        for job in jobs:
            job.end(0)
        same_bytes(case.newest("pmi"), case.newest("quick"))


@check
def who_comes_while_the_first_process_loads_waits_for_who_comes_later(case):
    write_job(case)
    few = (*processes(3, APART), *sets(start_timeout=4))
    slow = "leader_loads/0=delay:6000,follower_comes/2=delay:7000"
    port = free_ports(1)[0]
    start(case, *few, *sets(coordinator=f"127.0.0.1:{port}"), failpoints=slow).end(0)


@check
def who_has_not_come_after_start_timeout_is_named(case):
    write_job(case)
    few = (*processes(3, APART), *sets(start_timeout=4))
    jobs = [start(case, *few, rank=rank, count=3, failpoints="leader_loads/0=delay:3000")
            for rank in (0, 1)]
    has(jobs[0].end(170).err, "process 2 did not connect to ", "stderr of 0")
    has(jobs[0].err, " within 4 s (cluster.start_timeout); the job has 3 processes\n", "stderr of 0")
    jobs[1].end(170)


@check
def who_cannot_reach_the_first_process_names_it(case):
    write_job(case)
    first = start(case, *TWO, rank=0)
    first.wait_until(endpoint_file(case).exists, "where it listens")
    first.kill()
    where = endpoint_file(case).read_text().strip()
    err = start(case, *TWO, *sets(start_timeout=4), rank=1).end(170).err
    has(err, f"process 1: process 0 at {where} did not answer within 4 s",
        "stderr")


@check
def a_signal_ends_the_first_process_while_it_waits_for_others(case):
    write_job(case)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        job = start(case, *TWO, rank=0)
        job.wait_until(endpoint_file(case).exists, "where it listens")
        job.send(number)
        has(ends_soon(job, code).err, "stopped by a signal before all processes", "stderr")
        true(not endpoint_file(case).exists(), "the files are left")


@check
def a_signal_ends_a_process_that_waits_for_the_first(case):
    write_job(case)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        job = start(case, *TWO, rank=1)  # nobody has left files
        job.wait_until(lambda job=job, number=number: job.takes(number), "it takes signals")
        job.send(number)
        has(ends_soon(job, code).err, "stopped by a signal before process 0 was found", "stderr")
    three = processes(3, APART)  # one of them does not come
    first = start(case, *three, rank=0, count=3,
                  failpoints="leader_loads/0=delay:4000,rendezvous_heard/0=delay:0")
    first.wait_until(endpoint_file(case).exists, "where it listens")
    other = start(case, *three, rank=1, count=3)
    first.wait_until(lambda: "rendezvous_heard" in first.err, "another process")
    other.send(signal.SIGTERM)
    ends_soon(other, 143)
    first.end(143)
    first = start(case, *TWO, rank=0)  # it listens, and is gone
    first.wait_until(endpoint_file(case).exists, "where it listens")
    first.kill()
    other = start(case, *TWO, rank=1, failpoints="follower_comes=delay:0")
    other.wait_until(lambda: "follower_comes" in other.err, "that it looks for the first")
    other.send(signal.SIGINT)
    has(ends_soon(other, 130).err, "stopped by a signal before all processes", "stderr")


@check
def a_signal_to_a_job_whose_processes_gather_ends_it(case):
    write_job(case)
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        job = start(case, *TWO, failpoints="follower_comes/1=delay:60000")
        job.wait_until(lambda job=job: "follower_comes" in job.err, "the other process")
        pids = list(children(job).values())
        equal(len(pids), 2, "processes")
        job.send(number)
        ends_soon(job, code)
        for pid in pids:
            true(not os.path.exists(f"/proc/{pid}"), f"process {pid} is left")


@check
def files_of_a_start_that_was_killed_do_not_keep_the_next_one_apart(case):
    write_job(case)
    case.train("job.conf", *TWO, workspace="quiet")
    for coordinator in ((), sets(coordinator=f"127.0.0.1:{free_ports(1)[0]}")):
        first = start(case, *TWO, *coordinator, rank=0)
        first.wait_until(endpoint_file(case).exists, "where it listens")
        first.kill()
        true(endpoint_file(case).exists(), "a killed process has left no file")
        other = start(case, *TWO, *coordinator, rank=1, failpoints="follower_comes=delay:0")
        other.wait_until(lambda other=other: "follower_comes" in other.err, "that it has read them")
        first = start(case, *TWO, *coordinator, rank=0)
        first.end(0)  # not after cluster.start_timeout
        other.end(0)
        same_bytes(case.newest(), case.newest("quiet"))


@check
def processes_may_listen_on_all_addresses(case):
    write_job(case)
    args = processes(3, APART)
    case.train("job.conf", *args, workspace="one")
    for bind in ("*", "0.0.0.0"):
        everywhere = sets(coordinator="127.0.0.2:0", bind=bind)
        case.train("job.conf", *args, *everywhere, workspace="all")
        same_bytes(case.newest("all"), case.newest("one"))
        jobs = [start(case, *args, *everywhere, rank=rank, count=3) for rank in range(3)]
        for job in jobs:
            job.end(0)
        same_bytes(case.newest(), case.newest("one"))


@check
def an_interface_of_the_first_process_is_where_all_meet(case):
    write_job(case)
    case.train("job.conf", *TWO, *sets(coordinator=f"lo:{free_ports(1)[0]}"))
    jobs = [start(case, *TWO, *sets(coordinator=f"lo:{free_ports(1)[0]}"), rank=rank)
            for rank in (1, 0)]
    for job in jobs:
        job.end(0)


@check
def addresses_that_nobody_has_are_named_with_their_field(case):
    write_job(case)
    for field, address in (("coordinator", "nosuch0:0"), ("coordinator", "192.0.2.1:0"),
                           ("bind", "nosuch0")):
        job = start(case, *TWO, *sets(**{field: address})).end(78)
        has(job.err, f"cluster.{field}: error: {address.split(':')[0]}", "stderr")


@check
def a_port_that_is_in_use_is_named_with_its_field(case):
    write_job(case)
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = f"127.0.0.1:{other.getsockname()[1]}"
        job = start(case, *TWO, *sets(coordinator=where)).end(73)
    has(job.err, f"cluster.coordinator: error: {where}: cannot listen: the port is in use; choose another, or 0",
        "stderr")


@check
def a_job_of_one_process_is_not_started_twice(case):
    write_job(case)
    for rank in range(2):
        job = start(case, rank=rank).end(78)
        has(job.err, "error: cluster: makes 1 process, 2 were started (PMI_SIZE); start 1, or change ", "stderr")


def tested(case, rank, *words, **how):
    return start(case, "-test", *TWO, *words, rank=rank, **how)


@check
def a_test_in_several_processes_is_the_first_ones_and_all_end_as_it_does(case):
    write_job(case)
    case.train("job.conf", *TWO)
    damaged = ["-set", "neuralnet.layer[data@kTest].store_conf.path=short"]
    case.write("short", (case.site.data / "t10k-images-idx3-ubyte").read_bytes()[:-1])
    for words, code in (((), 0), (damaged, 65)):
        jobs = [tested(case, rank, *words) for rank in (1, 0)]
        for job in jobs:
            job.end(code)
        equal(jobs[0].err, "", "stderr of process 1")
        equal(len(case.rows(phase="test")), 1, "rows of tests")


@check
def a_test_whose_first_process_is_gone_ends_the_others_with_170(case):
    write_job(case)
    case.train("job.conf", *TWO)
    few = sets(start_timeout=2, peer_timeout=2)
    first = tested(case, 0, *few)
    first.wait_until(endpoint_file(case).exists, "where it listens")
    first.kill()
    has(tested(case, 1, *few).end(170).err, "did not answer within 2 s", "stderr")
    other = tested(case, 1, *few)
    first = tested(case, 0, *few, failpoints="leader_tests/0=kill")
    first.popen.wait()
    other.end(170)


@check
def a_signal_to_any_process_of_a_test_ends_it(case):
    write_job(case)
    case.train("job.conf", *TWO)
    for rank in (0, 1):
        jobs = [tested(case, each, failpoints="leader_tests/0=delay:3000") for each in (0, 1)]
        jobs[0].wait_until(lambda jobs=jobs: "leader_tests" in jobs[0].err, "the test")
        other = jobs[1]
        other.wait_until(lambda other=other: other.takes(signal.SIGTERM), "it takes signals")
        jobs[rank].send(signal.SIGTERM)
        for job in jobs:
            job.end(143)
        equal(len(case.rows(phase="test")), 0, "rows of tests")


@check
def processes_tell_each_other_of_long_names_or_refuse_them(case):
    conf = mlp(case.site.data, "train_steps: 3 disp_freq: 1")
    case.write("job.conf", conf.replace('"data"', f'"{"x" * 70000}"'))
    case.train("job.conf", *sets(nworkers_per_group=2, nworkers_per_procs=2), "-set", "num_openblas_threads=1")
    case.train("job.conf", *TWO, workspace="apart")
    model, apart = (case.newest(ws) / "model.safetensors" for ws in ("ws", "apart"))
    true(model.read_bytes() == apart.read_bytes(), "processes and threads trained other values")
    files = ",".join([f"{model.parent}/{'./' * 1500}{model.name}"] * 25)
    job = case.train("job.conf", *TWO, "-set", f"checkpoint_path={files}", code=78, workspace="many")
    has(job.err, 'process 0 cannot tell the others "begin"', "the error of too many files")
