"""Checks limits of the system that a job meets: processes and threads of a control group and of a
user, memory of a control group, addresses and data of a process. Control groups have version 1 or
2, if this machine lets root make some."""
import os
import pathlib
import shutil
import time

from case import LIMIT_S, equal, has, true
from group_checks import workers
from job import ADAM, mlp
from launch_case import LeftOut
from process_checks import APART, processes

GROUPS = pathlib.Path("/sys/fs/cgroup")
TOPOLOGIES = {"threads": workers(2), "shared memory": processes(2), "tcp": processes(2, APART)}
MIB = 1 << 20


class Group:
    """Group is a control group of its own, below this process's in the tree of `controller`."""

    def __init__(self, controller, limits):
        """Makes the group. `limits`: of version 1 and of version 2, {file: value}. Missing files,
        such as one for swap, are skipped, except the first."""
        if os.geteuid() != 0:
            raise LeftOut("needs root")
        old = (GROUPS / controller).is_dir()
        root = GROUPS / controller if old else GROUPS
        self.folder = root / f"singa-limits-{os.getpid()}"
        try:
            self.folder.mkdir()
        except OSError as error:
            raise LeftOut(f"cannot make a control group: {error}") from None
        try:
            for i, (file, value) in enumerate(limits[0 if old else 1].items()):
                if i == 0 or (self.folder / file).exists():
                    (self.folder / file).write_text(str(value))
        except OSError as error:
            self.folder.rmdir()
            raise LeftOut(f"no {controller} in control groups: {error}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def command(self):
        return ["sh", "-c", f'echo $$ >{self.folder}/cgroup.procs && exec "$@"', "sh"]

    def expect_empty(self):
        end = time.monotonic() + LIMIT_S
        while left := (self.folder / "cgroup.procs").read_text().split():
            true(time.monotonic() < end, f"processes {left} are left over")


def write_job(one, **net):
    one.write("job.conf", mlp(one.site.data, "train_steps: 5 disp_freq: 1", **net))


def run(one, command, words):
    return one.start_program([*command, one.site.binary, "-conf", "job.conf", *words])


def refused(job, name, most, limit):
    """Returns whether the job has ended, with the error that it may have only `most` processes."""
    if job.popen.returncode == 0:
        return False
    equal(job.popen.returncode, 73, f"exit code of {name}, {most} processes")
    has(job.err, f"limits: {most} processes and threads of {limit}", f"stderr of {name}")
    true("restart" not in job.err, f"{name}, {most} processes: {job.err}")
    return True


def few_processes_in_a_control_group_are_an_error_that_names_them(one):
    write_job(one)
    for name, words in TOPOLOGIES.items():
        for most in (1, 2, 3, 5, 7):
            with Group("pids", [{"pids.max": most}] * 2) as group:
                job = run(one, group.command(), words)
                job.end()
                group.expect_empty()
            if not refused(job, name, most, "the control group (pids.max)"):
                break
        true(most > 1, f"one process is enough for {name}")


def few_processes_of_a_user_are_an_error_that_names_them(one):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise LeftOut("needs root and setpriv")
    user = 61000 + os.getpid() % 1000  # a user without processes
    for folder in (one.folder, one.folder.parent):
        folder.chmod(0o777)
    write_job(one)
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    try:
        one.start_program([*as_user, one.site.binary, "version"]).end(0)
    except Exception as error:
        raise LeftOut(f"another user cannot run {one.site.binary}: {error}") from None
    for name, words in TOPOLOGIES.items():
        for most in (1, 3, 5, 7):
            job = run(one, [*as_user, "prlimit", f"--nproc={most}:{most}"], words)
            job.end()
            if not refused(job, name, most, "this user (RLIMIT_NPROC"):
                break
        true(most > 1, f"one process is enough for {name}")


def a_process_that_the_system_kills_for_memory_is_named_and_ends_the_job(one):
    write_job(one, hidden=16384, updater=ADAM)  # 503 MiB in process 0, 300 in others
    limit = 560 * MIB
    with Group("memory", [{"memory.limit_in_bytes": limit, "memory.memsw.limit_in_bytes": limit},
                          {"memory.max": limit, "memory.swap.max": 0}]) as group:
        job = run(one, group.command(), (*processes(3, APART), "-set", "cluster.max_restarts=1"))
        job.end(69)
        group.expect_empty()
    killed = "killed: out of memory; limits: 560 MiB of the control group (memory.max)"
    has(job.err, f"({killed}); all start again (restart 1 of 1)", "stderr")
    has(job.err, f"(last: {killed}); the job gives up after 1 restart (cluster.max_restarts)", "stderr")


def little_memory_for_each_process_is_an_error_that_names_it(one):
    write_job(one)
    for flag, name in (("as", "RLIMIT_AS"), ("data", "RLIMIT_DATA")):
        starts = next(size for size in range(8, 1000, 4) if runs_with(one, flag, size))
        for words in TOPOLOGIES.values():
            for size in range(starts + 1, starts + 100, 24):
                job = run(one, ["prlimit", f"--{flag}={size * MIB}:{size * MIB}"], words)
                job.end()
                if job.popen.returncode == 0:
                    break
                true(job.popen.returncode in (69, 73),
                     f"exit code {job.popen.returncode} with {size} MiB of {name}\n{job.err}")
                has(job.err, f"{size} MiB of ", "stderr")
                has(job.err, name, "stderr")
                true("restart" not in job.err, job.err)
            true(size > starts + 1, f"{size} MiB of {name} are enough")


def runs_with(one, flag, size):
    """Returns whether the system loads the program at all."""
    job = one.start_program(["prlimit", f"--{flag}={size * MIB}:{size * MIB}", one.site.binary,
                             "version"])
    return job.popen.wait() == 0


CHECKS = [few_processes_in_a_control_group_are_an_error_that_names_them,
          few_processes_of_a_user_are_an_error_that_names_them,
          a_process_that_the_system_kills_for_memory_is_named_and_ends_the_job,
          little_memory_for_each_process_is_an_error_that_names_it]
