"""Checks users' networks: /etc/hosts that gives a host's own name a loopback address, IPv6 alone,
two networks, containers in which each process has the id 1. Network namespaces stand for hosts."""
import os
import shutil
import subprocess

from case import equal, has, true
from job import mlp
from launch_case import LeftOut
from process_checks import processes

HOME = "127.0.0.1 localhost\n127.0.1.1 {home}\n::1 localhost ip6-localhost\n"
TWO = processes(2, "cluster.start_timeout=20")
# Runs a command with $0 as /etc/hosts.
WITH_HOSTS = 'mount --bind "$0" /etc/hosts && exec "$@"'
OPEN_MPI = ("OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_LOCAL_SIZE=1", "PMIX_NAMESPACE=uid")
BY_HAND = ("PMI_SIZE=2", "PMI_JOBID=uid")


class Network:
    """Network is two hosts, node0 and node1, with cables between their eth0, eth1, ..."""

    def __init__(self, one, *cables):
        """Makes the network. `cables`: for each the addresses of its ends, with prefix lengths."""
        if not shutil.which("ip"):
            raise LeftOut("needs ip of iproute2")
        self._one = one
        self._names = [f"singa-net-{os.getpid()}-{i}" for i in range(2)]
        try:
            for name in self._names:
                self._ip("netns", "add", name)
                self._ip("-n", name, "link", "set", "lo", "up")
            for i, addresses in enumerate(cables):
                self._ip("-n", self._names[0], "link", "add", f"eth{i}", "type", "veth", "peer",
                         "name", f"eth{i}", "netns", self._names[1])
                for name, address in zip(self._names, addresses):
                    self._ip("-n", name, "addr", "add", address, "dev", f"eth{i}",
                             *["nodad"] * (":" in address))
                    self._ip("-n", name, "link", "set", f"eth{i}", "up")
        except LeftOut:
            self.stop()
            raise
        for host in range(2):
            one.write(f"hosts{host}", HOME.format(home=f"node{host}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._one.end()
        self.stop()

    def stop(self):
        for name in self._names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def _ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise LeftOut(f"ip {' '.join(words)}: {done.stderr.strip()}")

    def start(self, rank, coordinator, *words, env=BY_HAND, container=False):
        variable = "PMI_RANK" if env is BY_HAND else "OMPI_COMM_WORLD_RANK"
        inside = ["--pid", "--fork", "--kill-child", "--mount-proc"] if container else []
        if coordinator:
            words = ("-set", f"cluster.coordinator={coordinator}", *words)
        return self._one.start_program(
            ["ip", "netns", "exec", self._names[rank], "unshare", "--mount", *inside, "sh", "-c",
             WITH_HOSTS, self._one.path(f"hosts{rank}"), "env", *env, f"{variable}={rank}",
             self._one.site.binary, "-conf", "job.conf", *TWO, *words])

    def train(self, coordinator, address, *words, **how):
        """Trains in both processes. The first must listen on `address`."""
        first = self.start(0, coordinator, *words, **how)
        where = self._one.path("ws/launch-uid.endpoint")
        first.wait_until(where.exists, "where it listens")
        equal(where.read_text().strip().rsplit(":", 1)[0], address, "where it listens")
        second = self.start(1, coordinator, *words, **how)
        first.end(0)
        second.end(0)


def write_job(one):
    one.write("job.conf", mlp(one.site.data, "train_steps: 20 disp_freq: 5 seed: 3"))


def a_name_that_is_loopback_at_home_is_an_address_that_others_reach(one):
    write_job(one)
    with Network(one, ("10.213.78.1/24", "10.213.78.2/24")) as net:
        one.write("hosts1", HOME.format(home="node1") + "10.213.78.1 node0\n")
        for env in (BY_HAND, OPEN_MPI):
            for port in (0, 6723):
                net.train(f"node0:{port}", "10.213.78.1", env=env)
        # The other hosts have such names, too, and names differ from host to host.
        one.write("hosts0", HOME.format(home="node0") + "10.213.78.1 node0\n")
        one.write("hosts1", HOME.format(home="node1") + "10.213.99.99 node0\n")
        net.train("node0:6723", "10.213.78.1", "-set", "cluster.bind=*")
        one.write("hosts0", HOME.format(home="node0") + "127.0.1.1 mine\n")
        one.write("hosts1", HOME.format(home="node1") + "127.0.1.1 mine\n")
        net.train("node0:0", "10.213.78.1", "-set", "cluster.bind=mine")


def loopback_between_hosts_is_an_error_that_names_it(one):
    write_job(one)
    with Network(one, ("10.213.78.1/24", "10.213.78.2/24")) as net:
        for name in ("localhost", "127.0.0.1", "[::1]", "lo"):
            err = net.start(0, f"{name}:0", env=OPEN_MPI).end(78).err
            has(err, f"cluster.coordinator: error: {name.strip('[]')}: ", "stderr")
            has(err, "loopback: processes on other hosts cannot reach it", "stderr")
        for coordinator in ("", "localhost:0", "127.0.0.1:6723"):
            first = net.start(0, coordinator)
            first.wait_until(one.path("ws/launch-uid.endpoint").exists, "where it listens")
            err = net.start(1, coordinator).end(78).err
            has(err, "cluster.coordinator", "stderr")
            has(err, "process 0 is on another host and listens on 127.0.0.1:", "stderr")
            first.kill()
            for end in ("", ".endpoint", ".network"):
                one.path(f"ws/launch-uid{end}").unlink()


def the_network_that_the_coordinator_names_counts(one):
    write_job(one)
    with Network(one, ("10.213.78.1/24", "10.213.78.2/24"),
                 ("10.213.79.1/24", "10.213.79.2/24")) as net:
        net.train("eth1:0", "10.213.79.1")
        net.train("10.213.78.1:0", "10.213.78.1", "-set", "cluster.bind=*")
        err = net.start(0, "node0:0", env=OPEN_MPI).end(78).err
        has(err, "node0: is 127.0.1.1, which is loopback", "stderr")
        has(err, "10.213.78.1 (eth0), 10.213.79.1 (eth1)", "stderr")


def hosts_with_ipv6_alone_train(one):
    write_job(one)
    with Network(one, ("fd00:213::1/64", "fd00:213::2/64")) as net:
        one.write("hosts1", HOME.format(home="node1") + "fd00:213::1 node0\n")
        for coordinator in ("eth0:0", "[fd00:213::1]:6723", "node0:0"):
            net.train(coordinator, "[fd00:213::1]")
        net.train("node0:0", "[fd00:213::1]", "-set", "cluster.bind=*")


def containers_train(one):
    """Each process has the id 1, and sees no other one."""
    write_job(one)
    with Network(one, ("10.213.78.1/24", "10.213.78.2/24")) as net:
        net.train("eth0:0", "10.213.78.1", container=True)
        true(one.steps(), "no checkpoint")


CHECKS = [a_name_that_is_loopback_at_home_is_an_address_that_others_reach,
          loopback_between_hosts_is_an_error_that_names_it,
          the_network_that_the_coordinator_names_counts,
          hosts_with_ipv6_alone_train,
          containers_train]
