#!/usr/bin/env python3
"""Measures `singa predict -serve` beside ONNX Runtime on the exported net: records in a second, and
times of requests.

usage: python3 test/bench/serve.py BINARY [--nets cnn,resnet,gru] [--threads N] [--seconds 3]
           [--rounds 5] [--write]
needs: numpy, onnxruntime, SINGA_DATA, a quiet machine

Three loads, one after the other in each round; the medians of the rounds are printed:
  1          one client, which sends one record at a time
  64         one client, which sends 64 records at a time
  64 clients each sends one record at a time; singa computes together what waits
ONNX Runtime computes the same records in a loop of this program, without HTTP; for 64 clients one
after the other. Both compute with so many threads; the default is the cores that this program may
use. The clients, HTTP and JSON take time of the same cores. `net` is the rate of singa's net alone,
by singa_predict_compute_seconds_total.
"""
import argparse
import contextlib
import json
import math
import os
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy
import onnxruntime

import results_file
import singa_job

CLIENTS, BATCH = 64, 64
LONGEST_WAIT = 60  # seconds
LOADS = {"1": (1, 1), "64": (1, BATCH), "64 clients": (CLIENTS, 1)}  # clients, records of a request
COUNTERS = ("singa_predict_records_total", "singa_predict_compute_seconds_total")
HEADS = ["net", "threads", "load", "records/s", "p50 ms", "p99 ms", "net records/s",
         "ONNX Runtime records/s", "ONNX Runtime p50 ms", "ONNX Runtime p99 ms",
         "singa / ONNX Runtime"]


def make_data(net, folder):
    if net == "gru":
        singa_job.make_text(folder)
    elif net == "resnet":
        singa_job.make_cifar_batch(folder)
    else:
        singa_job.make_plain_idx(folder)


def sets(net, threads):
    """Returns the settings of a net. The state of `gru` begins with zeros for each record, as in
    the server."""
    carry = ["neuralnet.layer[gru].gru_conf.carry_state=false"] if net == "gru" else []
    return [f"num_openblas_threads={threads}", *carry]


def records(net, port):
    """Returns records of the shape that the server names."""
    shape = json.loads(get(port, "/"))["input"]["shape"]
    draw = numpy.random.default_rng(1)
    return draw.integers(0, 65 if net == "gru" else 256, (BATCH, *shape)).astype("<f4")


class Client:
    """Client is a connection that sends one request again and again."""

    def __init__(self, port, rows):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LONGEST_WAIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        body = rows.tobytes()
        self.request = (f"POST /predict?topk=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        f"Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n\r\n"
                        ).encode() + body
        self.answer, self.begin = b"", 0.0

    def send(self):
        self.answer, self.begin = b"", time.perf_counter()
        self.socket.sendall(self.request)

    def read(self):
        """Reads what has come. Returns whether the answer is whole."""
        part = self.socket.recv(1 << 20)
        if not part:
            sys.exit(f"the server has ended the connection: {self.answer[:300]}")
        self.answer += part
        head, end, body = self.answer.partition(b"\r\n\r\n")
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"refused: {self.answer[:300]}")
        return len(body) == int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=LONGEST_WAIT) as answer:
        return answer.read().decode()


def counters(port):
    """Returns records and seconds of the net so far."""
    lines = dict(line.rsplit(" ", 1) for line in get(port, "/metrics").splitlines())
    return [float(lines[name]) for name in COUNTERS]


def answered(ready):
    """Waits for clients of a selector. Returns those whose answers are whole."""
    found = ready.select(LONGEST_WAIT)
    if not found:
        sys.exit(f"the server has sent nothing for {LONGEST_WAIT} s")
    return [key.data for key, _ in found if key.data.read()]


def ask(port, data, load, seconds):
    """Returns (records in a second, times of requests in s, records in a second of the net)."""
    number, size = LOADS[load]
    before, times = counters(port), []
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context(selectors.DefaultSelector())
        for i in range(number):
            client = Client(port, data[i * size:(i + 1) * size])
            stack.callback(client.socket.close)
            ready.register(client.socket, selectors.EVENT_READ, client)
            client.send()
        begin = time.perf_counter()
        while not times or time.perf_counter() - begin < seconds:
            for client in answered(ready):
                times.append(time.perf_counter() - client.begin)
                client.send()
        took = time.perf_counter() - begin
        while ready.get_map():  # the last answers take no time of what is measured next
            for client in answered(ready):
                ready.unregister(client.socket)
    done = [after - first for first, after in zip(before, counters(port))]
    return len(times) * size / took, times, done[0] / done[1]


class Runtime:
    """Runtime is ONNX Runtime with the exported net."""

    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
        (self.input,) = self.session.get_inputs()

    def feed(self, rows):
        """Returns records as the net takes them. Characters are (time steps, records)."""
        text = self.input.type == "tensor(int64)"
        return {self.input.name: numpy.ascontiguousarray(rows.T, "<i8") if text else rows}

    def loop(self, data, load, seconds):
        """Returns (records in a second, times of runs in s)."""
        size, times = LOADS[load][1], []
        feeds = [self.feed(data[at:at + size]) for at in range(0, BATCH, size)]
        begin = time.perf_counter()
        while not times or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            self.session.run(None, feeds[len(times) % len(feeds)])
            times.append(time.perf_counter() - start)
        return len(times) * size / (time.perf_counter() - begin), times


def quantiles(times):
    """Returns the median and the 0.99 quantile in ms."""
    ordered = sorted(times)
    return [1e3 * ordered[math.ceil(q * len(ordered)) - 1] for q in (0.5, 0.99)]


def warm_up(port, data, runtime):
    """Computes each size of request once. The first answer waits until the server is ready."""
    for size in sorted({size for _, size in LOADS.values()}):
        client = Client(port, data[:size])
        client.send()
        while not client.read():
            pass
        client.socket.close()
        runtime.session.run(None, runtime.feed(data[:size]))


@contextlib.contextmanager
def served(words):
    """Starts a server. Gives its port."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline()
            if not line:
                sys.exit(f"{' '.join(words)}\nprinted no URL")
            yield int(line.rsplit(":", 1)[1].split("/")[0])
        finally:
            process.send_signal(signal.SIGTERM)


def measure(binary, net, args):
    """Returns the lines of a net."""
    with tempfile.TemporaryDirectory(prefix="singa-serve-") as folder:
        make_data(net, folder)
        conf = singa_job.conf_and_sets(net, folder, f"{folder}/ws", sets(net, args.threads))
        steps = ["-set", "train_epochs=0", "-set", "train_steps=1", "-set", "test_epochs=0"]
        singa_job.run_process([binary, "-conf", *conf, *steps])
        singa_job.run_process([binary, "export", "onnx", "-conf", *conf, f"{folder}/net.onnx"])
        runtime = Runtime(f"{folder}/net.onnx", args.threads)
        serve = [binary, "predict", "-conf", *conf, "-batch", str(BATCH), "-serve", "-port", "0"]
        with served(serve) as port:
            data = records(net, port)
            warm_up(port, data, runtime)
            rounds = {load: [] for load in LOADS}
            for _ in range(args.rounds):
                for load, found in rounds.items():
                    rate, times, alone = ask(port, data, load, args.seconds)
                    other, runs = runtime.loop(data, load, args.seconds)
                    found.append([rate, *quantiles(times), alone, other, *quantiles(runs),
                                  rate / other])
    return [line(net, args.threads, load, found) for load, found in rounds.items()]


def line(net, threads, load, rounds):
    medians = map(statistics.median, zip(*rounds))
    forms = (".0f", ".2f", ".2f", ".0f", ".0f", ".2f", ".2f", ".2f")
    return [net, threads, load, *(format(value, form) for value, form in zip(medians, forms))]


def main():
    parser = argparse.ArgumentParser(description="singa predict -serve beside ONNX Runtime")
    parser.add_argument("binary")
    parser.add_argument("--nets", default="cnn,resnet,gru")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write:
        results_file.cut("serve")  # exits if results.md has no such section
    conditions, binary = results_file.Conditions(), os.path.abspath(args.binary)
    lines = [one for net in args.nets.split(",") for one in measure(binary, net, args)]
    results_file.report("serve", conditions, [
        *results_file.table(HEADS, lines), "",
        f"Medians; rounds: {args.rounds}, seconds a load: {args.seconds:g}; batch {BATCH}; ONNX "
        f"Runtime {onnxruntime.__version__}."], args.write)


if __name__ == "__main__":
    main()
