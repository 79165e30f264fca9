"""Checks jobs on two hosts, for which two network namespaces stand. They run the command and
environment of each pod in tool/launch/kubernetes.yaml."""
import os
import shutil
import subprocess
import sys
import time

from case import equal, has, true
from kubernetes import check_objects, pod_command, read_objects
from launch_case import STEPS, TWO, LeftOut, expect_the_same, process_of, reach, write_job

ADDRESSES = ("10.213.77.1", "10.213.77.2")
LIMIT_S = 50  # for the ends of both processes after cluster.peer_timeout, 2 s: its default is 60
# The program begins a ZMTP greeting and prints the security mechanism in the listener's.
PROBE = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
s.sendall(b"\\xff" + b"\\0" * 8 + b"\\x7f\\x03")
data = b""
while len(data) < 64:
    part = s.recv(64 - len(data))
    if not part:
        break
    data += part
print(data[12:32].rstrip(b"\\0").decode())
"""


class Hosts:
    """Hosts are two namespaces with an eth0 each and a cable between, made at the first use."""

    def __init__(self):
        self._names = [f"singa-{os.getpid()}-{i}" for i in range(2)]
        self._made = False
        self._reason = ""  # why they are not there

    def need(self):
        if not self._made and not self._reason:
            self._make()
        if self._reason:
            raise LeftOut(self._reason)

    def command(self, host):
        return ["ip", "netns", "exec", self._names[host]]

    def plug(self, up):
        """Plugs the cable in or out."""
        self._ip("-n", self._names[1], "link", "set", "eth0", "up" if up else "down")

    def stop(self):
        if shutil.which("ip"):
            for name in self._names:
                subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def _ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode and not self._reason:
            self._reason = f"ip {' '.join(words)}: {done.stderr.strip()}"

    def _make(self):
        if not shutil.which("ip"):
            self._reason = "needs ip of iproute2"
            return
        first, second = self._names
        for name in self._names:
            self._ip("netns", "add", name)
        self._ip("-n", first, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0",
                 "netns", second)
        for name, address in zip(self._names, ADDRESSES):
            self._ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                self._ip("-n", name, "link", "set", device, "up")
        self._made = True


def start_pod(one, rank, *words):
    objects = read_objects(one.site.root / "tool/launch/kubernetes.yaml")
    env, (program, *args) = pod_command(objects, rank)
    equal(program, "singa", "the pod's program")
    args = [word.replace("/work/", f"{one.folder}/") for word in args]
    return one.start_program([*one.site.hosts.command(rank), "env",
                              *(f"{name}={value}" for name, value in env.items()),
                              str(one.site.binary), *args, *TWO, *words])


def start_pods(one, *words):
    return [start_pod(one, rank, *words) for rank in range(2)]


def the_objects_for_kubernetes_fit_their_schema(one):
    """The check covers fields and types alone: no cluster has seen the objects."""
    objects = read_objects(one.site.root / "tool/launch/kubernetes.yaml")
    equal([found["kind"] for found in objects], ["PersistentVolumeClaim", "Job"], "kinds")
    check_objects(objects)


def two_hosts_train_to_the_same_bytes_behind_curve(one):
    one.site.hosts.need()
    write_job(one)
    first = start_pod(one, 0)
    where = one.path("run/launch-uid.endpoint")
    first.wait_until(where.exists, "where it listens is told")
    host, port = where.read_text().strip().rsplit(":", 1)
    equal(host, ADDRESSES[0], "the address that rank 0 listens on")
    probe = one.start_program([*one.site.hosts.command(1), sys.executable, "-c", PROBE, host, port])
    equal(probe.end(0).out.strip(), "CURVE", "how connections are secured")
    second = start_pod(one, 1)
    first.end(0)
    second.end(0)
    expect_the_same(one, "run")


def start_by_mpirun(one, *words):
    """Starts the job by mpirun, a process on each host."""
    one.write("hosts", "".join(f"{address} slots=1\n" for address in ADDRESSES))
    # The script stands for ssh: agent HOST COMMAND.
    agent = one.write("agent", f"""#!/bin/sh
shift
exec {" ".join(one.site.hosts.command(1))} unshare --uts sh -c "hostname second; $*"
""")
    agent.chmod(0o755)
    return one.start_program([*one.site.hosts.command(0), "env", f"SINGA={one.site.binary}",
                              "HOSTFILE=hosts", f"OMPI_MCA_plm_rsh_agent={agent}",
                              one.site.root / "tool/launch/mpirun.sh", "-conf", "job.conf", *TWO,
                              *words])


def mpirun_starts_a_process_on_each_host_of_the_hostfile(one):
    one.site.hosts.need()
    write_job(one)
    job = start_by_mpirun(one)
    reach(one, job, 100)
    hosts = {os.readlink(f"/proc/{process_of(one, 'OMPI_COMM_WORLD_RANK', rank)}/ns/net")
             for rank in range(2)}
    equal(len(hosts), 2, "hosts of the processes")
    job.end(0)
    expect_the_same(one)


def mpi_adds_gradients_up_between_two_hosts(one):
    one.site.hosts.need()
    write_job(one)
    job = start_by_mpirun(one, "-set", "cluster.all_reduce.backend=kMpi").end(0)
    has(job.err, "gradients by MPI", "stderr")
    expect_the_same(one)


def hosts_that_are_cut_off_say_whom_they_lost_and_resume(one):
    one.site.hosts.need()
    write_job(one)
    pods = start_pods(one, "-set", "cluster.peer_timeout=2")
    reach(one, pods[0], 300, "run")
    one.site.hosts.plug(False)
    start = time.monotonic()
    try:
        for rank, pod in enumerate(pods):
            err = pod.end(170).err
            lost = 1 - rank
            has(err, f"singa: error: process {lost} ({ADDRESSES[lost]}:", f"stderr of {rank}")
            has(err, " was lost: ", f"stderr of {rank}")
    finally:
        one.site.hosts.plug(True)
    seconds = time.monotonic() - start
    true(seconds < LIMIT_S, f"both had ended {seconds:.1f} s after they were cut off")
    true(one.steps("run")[-1] < STEPS, "the job had ended before")
    for pod in start_pods(one):
        pod.end(0)
    expect_the_same(one, "run")


CHECKS = [the_objects_for_kubernetes_fit_their_schema,
          two_hosts_train_to_the_same_bytes_behind_curve,
          mpirun_starts_a_process_on_each_host_of_the_hostfile,
          mpi_adds_gradients_up_between_two_hosts,
          hosts_that_are_cut_off_say_whom_they_lost_and_resume]
