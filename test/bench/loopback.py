"""Measures the time that two processes need at least to send each other bytes over loopback, a core
each.

This is no script of its own.
"""
import multiprocessing
import os
import socket
import statistics
import threading
import time

MESSAGE = 512 << 10  # about a large slice


def exchange(sock, sent, room):
    """Sends `sent` and fills `room`, at the same time."""
    def send():
        for begin in range(0, len(sent), MESSAGE):
            sock.sendall(sent[begin:begin + MESSAGE])

    sender = threading.Thread(target=send)
    sender.start()
    at = 0
    while at < len(room):
        at += sock.recv_into(room[at:at + MESSAGE])
    sender.join()


def buffers(size):
    """Returns buffers of a whole step, because a step's bytes are in no cache any more."""
    return [memoryview(bytearray(b"x") * size) for _ in range(2)]


def answer(port, core, size, rounds):
    os.sched_setaffinity(0, {core})
    with socket.create_connection(("127.0.0.1", port)) as sock:
        views = buffers(size)
        for _ in range(rounds):
            exchange(sock, *views)


def exchange_seconds(size, cores, rounds=20):
    """Returns the median time in which two processes, on a core each, exchange `size` bytes."""
    before = os.sched_getaffinity(0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        other = multiprocessing.Process(target=answer, args=(port, cores[1], size, rounds))
        other.start()
        os.sched_setaffinity(0, {cores[0]})
        sock, _ = server.accept()
        times = []
        with sock:
            views = buffers(size)
            for _ in range(rounds):
                start = time.monotonic()
                exchange(sock, *views)
                times.append(time.monotonic() - start)
        other.join()
    os.sched_setaffinity(0, before)
    return statistics.median(times)
