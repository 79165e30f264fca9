#!/usr/bin/env python3
"""Measures `singa predict -serve` beside ONNX Runtime on the exported net: records in a second, and
times of requests.

usage: python3 test/bench/serve.py BINARY [--nets cnn,resnet,gru] [--seconds 3] [--rounds 5]
needs: numpy, onnxruntime, SINGA_DATA, a quiet machine

Three loads, one after the other in each round; the medians of the rounds are printed:
  1          one client, which sends one record at a time
  64         one client, which sends 64 records at a time
  64 clients each sends one record at a time; singa computes together what waits
ONNX Runtime computes the same records in a loop of this program, without HTTP; for 64 clients one
after the other. `net` is the rate of singa's net alone, by singa_predict_compute_seconds_total.
"""
import argparse
import contextlib
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

import singa_job

CLIENTS, BATCH = 64, 64
LOADS = {"1": (1, 1), "64": (1, BATCH), "64 clients": (CLIENTS, 1)}  # clients, records of a request
COUNTERS = ("singa_predict_records_total", "singa_predict_compute_seconds_total")


def make_data(net, folder):
    if net == "gru":
        singa_job.make_text(folder)
    elif net == "resnet":
        singa_job.make_cifar_batch(folder)
    else:
        singa_job.make_plain_idx(folder)


def records(net, shape):
    draw = numpy.random.default_rng(1)
    return draw.integers(0, 65 if net == "gru" else 256, (BATCH, *shape)).astype("<f4")


class Client:
    """Client is a connection that sends one request again and again."""

    def __init__(self, port, rows):
        self.socket = socket.create_connection(("127.0.0.1", port))
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


def counters(port):
    """Returns records and seconds of the net so far."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        lines = dict(line.rsplit(" ", 1) for line in answer.read().decode().splitlines())
    return [float(lines[name]) for name in COUNTERS]


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
        while time.perf_counter() - begin < seconds:
            for key, _ in ready.select():
                if key.data.read():
                    times.append(time.perf_counter() - key.data.begin)
                    key.data.send()
        took = time.perf_counter() - begin
    done = [after - first for first, after in zip(before, counters(port))]
    return len(times) * size / took, times, done[0] / done[1]


def loop(session, data, load, seconds):
    """Returns (records in a second, times of runs in s) of ONNX Runtime."""
    size, times = LOADS[load][1], []
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        at = len(times) * size % BATCH
        start = time.perf_counter()
        session.run(None, {"data": data[at:at + size]})
        times.append(time.perf_counter() - start)
    return len(times) * size / (time.perf_counter() - begin), times


def quantiles(times):
    ordered = sorted(times)
    return [1e3 * ordered[int(q * (len(ordered) - 1))] for q in (0.5, 0.99)]


@contextlib.contextmanager
def served(words):
    """Starts a server. Gives its port."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        yield int(process.stdout.readline().rsplit(":", 1)[1].split("/")[0])
        process.send_signal(signal.SIGTERM)


def measure(binary, net, args):
    binary = os.path.abspath(binary)
    with tempfile.TemporaryDirectory(prefix="singa-serve-") as folder:
        make_data(net, folder)
        conf = singa_job.conf_and_sets(net, folder, f"{folder}/ws", [])
        steps = ["-set", "train_epochs=0", "-set", "train_steps=1", "-set", "test_epochs=0"]
        singa_job.run_process([binary, "-conf", *conf, *steps])
        singa_job.run_process([binary, "export", "onnx", "-conf", *conf, f"{folder}/net.onnx"])
        session = onnxruntime.InferenceSession(f"{folder}/net.onnx", providers=["CPUExecutionProvider"])
        data = records(net, session.get_inputs()[0].shape[1:])
        with served([binary, "predict", "-conf", *conf, "-batch", str(BATCH), "-serve", "-port", "0"]) as port:
            rounds = {load: [] for load in LOADS}
            for _ in range(args.rounds):
                for load in LOADS:
                    rate, times, alone = ask(port, data, load, args.seconds)
                    other, runs = loop(session, data, load, args.seconds)
                    rounds[load].append([rate, *quantiles(times), alone, other, *quantiles(runs)])
    for load, found in rounds.items():
        rate, p50, p99, alone, other, run50, run99 = map(statistics.median, zip(*found))
        print(f"| {net} | {load} | {rate:.0f} | {p50:.2f} | {p99:.2f} | {alone:.0f} | {other:.0f} | "
              f"{run50:.2f} | {run99:.2f} | {rate / other:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="singa predict -serve beside ONNX Runtime")
    parser.add_argument("binary")
    parser.add_argument("--nets", default="cnn,resnet,gru")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    print("| net | load | records/s | p50 ms | p99 ms | net records/s | ONNX Runtime records/s | p50 ms | "
          "p99 ms | ratio |\n|---|---|---|---|---|---|---|---|---|---|")
    for net in args.nets.split(","):
        measure(args.binary, net, args)


if __name__ == "__main__":
    main()
