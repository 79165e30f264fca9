"""Checks jobs that Slurm starts, by tool/launch/slurm.sh. They have a controller and a node of
their own, as root, which end with the checks."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time
from signal import SIGKILL

from case import equal, has, same_bytes
from job import mlp
from launch_case import TWO, LeftOut, expect_the_same, free_ports, process_of, reach, write_job
from process_checks import processes

CONF = """ClusterName=singa
SlurmctldHost={name}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=2
SlurmdParameters=config_overrides
NodeName={name} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
START_S, END_S = 60, 30


class Slurm:
    """Slurm is munged, slurmctld and slurmd, from the first use on."""

    def __init__(self, folder):
        self._folder = folder
        self._daemons = []
        self._reason = ""  # why it is not there

    def words(self):
        """Returns the words that run a command of Slurm's in this cluster. Throws LeftOut."""
        if not self._daemons and not self._reason:
            self._start()
        if self._reason:
            raise LeftOut(self._reason)
        return ["env", f"SLURM_CONF={self._folder}/slurm.conf"]

    def stop(self):
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(END_S)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _start(self):
        missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch", "srun")
                   if not shutil.which(name)]
        if missing or os.geteuid() != 0:
            self._reason = f"needs {', '.join(missing)}" if missing else "needs root"
            return
        folder = self._folder
        folder.mkdir()
        name = socket.gethostname().split(".")[0]
        (folder / "slurm.conf").write_text(
            CONF.format(name=name, folder=folder, ports=free_ports(2)))
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        munge = [f"--{what}={folder}/munge.{end}" for what, end in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"),
                  ("log-file", "log"), ("seed-file", "seed"))]
        self._daemon("munged", "--foreground", "--force", *munge)
        self._await("munged", lambda: (folder / "munge.socket").exists())
        self._daemon("slurmctld", "-D")
        self._daemon("slurmd", "-D")
        self._await("slurmd", lambda: "idle" in self._says("sinfo", "-h", "-o", "%T"))

    def _daemon(self, *command):
        with open(self._folder / f"{command[0]}.out", "wb") as out:
            self._daemons.append(subprocess.Popen(
                command, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=dict(os.environ, SLURM_CONF=str(self._folder / "slurm.conf"))))

    def _says(self, *command):
        env = dict(os.environ, SLURM_CONF=str(self._folder / "slurm.conf"))
        return subprocess.run(command, env=env, capture_output=True, text=True,
                              timeout=START_S, check=False).stdout

    def _await(self, daemon, fact):
        end = time.monotonic() + START_S
        while not self._reason and not fact():
            if time.monotonic() > end or any(one.poll() is not None for one in self._daemons):
                said = "".join(path.read_text(errors="replace")[-500:] for path in
                               sorted(self._folder.glob("*.log")) + sorted(
                                   self._folder.glob("*.out")))
                self._reason = f"{daemon} does not start:\n{said}"
            time.sleep(0.01)


def submit(one, *words):
    """Starts sbatch, which waits for the job. Its output goes to the file `out`."""
    slurm = one.site.slurm.words()
    one.write("out", "")
    return one.start_program([*slurm, f"SINGA={one.site.binary}", "sbatch", "--wait", "--ntasks=2",
                              "--output=out", one.site.root / "tool/launch/slurm.sh",
                              "-conf", "job.conf", *TWO, *words])


def output(one):
    """Returns the output of the job's processes so far."""
    return one.path("out").read_text()


def a_job_by_srun_ends_with_the_same_bytes(one):
    write_job(one)
    submit(one).end(0)
    has(output(one), "2 processes", "output")
    expect_the_same(one)


def a_job_that_slurm_is_asked_to_stop_resumes_to_the_same_bytes(one):
    write_job(one)
    job = submit(one)
    reach(one, job, 200)
    number = re.search(r"Submitted batch job (\d+)", job.out).group(1)
    one.start_program([*one.site.slurm.words(), "scancel", "--signal=TERM", number]).end(0)
    job.end(143)
    has(output(one), "stopped by a signal at step ", "output")
    submit(one, "-resume").end(0)
    expect_the_same(one)


def a_job_by_srun_goes_on_when_a_process_was_killed(one):
    write_job(one)
    job = submit(one)
    for rank in (1, 0):
        reach(one, job, 800 - 500 * rank)
        os.kill(process_of(one, "SLURM_PROCID", rank), SIGKILL)
        job.wait_until(lambda: output(one).count("resumed from") == 2 - rank, "the job goes on")
    job.end(0)
    expect_the_same(one)


def a_test_by_srun_is_one_test(one):
    write_job(one)
    submit(one, "-set", "train_steps=20").end(0)
    submit(one, "-test").end(0)
    equal(output(one).count("params from "), 1, "processes that test")
    equal(len(one.rows(phase="test")), 1, "rows of tests")
    for code, words in ((0, ["check", "job.conf"]), (66, ["ckpt", "verify", "none"])):
        job = one.start_program([*one.site.slurm.words(), "srun", "--ntasks=2",
                                 one.site.binary, *words]).end(code)
        equal(job.err.count("one process of 2 does this alone (SLURM_NTASKS)"), 1, "stderr")


def srun_with_pmix_adds_gradients_up_by_mpi(one):
    """Slurm's plugin opens libpmix.so, which Debian has in libpmix-dev."""
    if not list(pathlib.Path("/usr/lib").glob("*/pmix2/lib/libpmix.so")):
        raise LeftOut("libpmix-dev is not installed")
    one.write("job.conf", mlp(one.site.data, "train_steps: 25"))
    apart = processes(2, "cluster.share_memory=false", "cluster.all_reduce.compression=kNone")
    job = one.start_program([*one.site.slurm.words(), "srun", "--mpi=pmix", "--ntasks=2", one.site.binary,
                             "-conf", "job.conf", *map(str, apart)]).end(0)
    has(job.err, "gradients by MPI (srun has started the job with PMIx)", "stderr")
    one.train("job.conf", *apart, workspace="servers")
    same_bytes(one.newest("ws"), one.newest("servers"))


CHECKS = [a_job_by_srun_ends_with_the_same_bytes,
          a_test_by_srun_is_one_test,
          a_job_that_slurm_is_asked_to_stop_resumes_to_the_same_bytes,
          a_job_by_srun_goes_on_when_a_process_was_killed,
          srun_with_pmix_adds_gradients_up_by_mpi]
