"""Checks `singa board`: what it answers while jobs run, and which requests it refuses."""
import contextlib
import json
import re
import signal
import socket
import time
import urllib.parse

from case import check, equal, has, true
from http_process import HttpProcess
from job import mlp

SAMPLE = re.compile(r'^singa_\w+\{[^{}]*\} (NaN|[+-]Inf|[-+.e0-9]+)$')


class Board(HttpProcess):
    """Board is a running `singa board`."""

    def __init__(self, case, *args):
        super().__init__(case, "board", *args)


def row(step, **fields):
    return json.dumps({"time": 1.7e9 + step, "phase": "train", "step": step, "group": 0, "layer": "loss",
                       **fields}) + "\n"


@check
def a_board_shows_a_job(case):
    case.train(mlp(case.site.data, "train_steps: 12 disp_freq: 4 checkpoint_freq: 6 test_steps: 1"))
    board = Board(case, "ws")
    run = board.json("/api/runs")["runs"][0]
    equal([run[key] for key in ("name", "job", "rows", "live", "error")],
          ["ws", "digits", len(case.rows()), False, None], "run")
    true({"train", "test"} <= set(run["phases"]), f"phases {run['phases']}")
    true("loss" in run["metrics"] and "lr" in run["values"], f"names {run}")
    rows = board.json("/api/rows?run=ws&after=0")
    equal(rows["rows"], case.rows(), "rows")
    equal((rows["next"], rows["reset"], rows["thinned"]), (len(case.rows()), False, False), "rows' state")
    equal(board.json(f"/api/rows?run=0&after={rows['next']}")["rows"], [], "rows after the last")
    details = board.json("/api/run?run=0")
    equal([one["step"] for one in details["checkpoints"]], case.steps()[::-1], "checkpoints")
    true(all(one["intact"] for one in details["checkpoints"]), f"intact {details['checkpoints']}")
    true(details["checkpoints"][0]["params"], "params of the newest checkpoint")
    true(details["net"]["train"]["nodes"] and details["log"], "net and log")
    has(details["dot"], "digraph", "the picture of the net")
    equal([row["layer"] for row in details["layers_ms"]],
          [node["id"] for node in details["net"]["train"]["nodes"]], "layers with times")
    for row in details["layers_ms"]:
        true(row["forward_ms"] >= 0 and row["backward_ms"] >= 0, f"times {row}")
    true(sum(row["forward_ms"] for row in details["layers_ms"]) > 0, "no layer takes time")
    has(board.text("/"), "<html", "the page")
    board.end()


@check
def a_board_writes_metrics_that_prometheus_reads(case):
    case.write("ws/metrics.jsonl", row(4, loss=0.5, step_ms=20, lr=0.1, bytes_sent=7)
               + row(8, loss="nan", step_ms=10, lr=0.1, bytes_sent=5))
    board = Board(case, "ws")
    lines = board.text("/metrics").splitlines()
    samples = [line for line in lines if not line.startswith("# ")]
    equal([line for line in samples if not SAMPLE.match(line)], [], "lines that are no samples")
    for line in ('singa_train_loss{run="ws",layer="loss",group="0"} NaN',
                 'singa_step_duration_seconds{run="ws",group="0"} 0.01',
                 'singa_bytes_sent_total{run="ws",group="0"} 12'):
        true(line in samples, f"no {line} in {samples}")
    board.end()


@check
def a_board_follows_a_job_that_runs(case):
    case.write("ws/keep", "")
    board = Board(case, "ws")
    equal(board.json("/api/runs")["runs"][0]["rows"], 0, "rows before the job")
    job = case.start_job(mlp(case.site.data, "train_steps: 100000000 disp_freq: 10"))
    seen = {"next": 0}

    def grows(more):
        answer = board.json(f"/api/rows?run=0&after={seen['next']}")
        true(not answer["reset"], "a reset while the job runs")
        seen["next"] = answer["next"]
        return seen["next"] >= more

    job.wait_until(lambda: grows(3), "three rows")
    true(board.json("/api/runs")["runs"][0]["live"], "the job is not live")
    more = seen["next"] + 3
    job.wait_until(lambda: grows(more), "more rows")
    job.send(signal.SIGTERM)
    job.end(143)
    true(not board.json("/api/runs")["runs"][0]["live"], "the job is live after its end")
    board.end()


@check
def a_board_tells_that_rows_were_cut_back(case):
    rows = [row(step, loss=1) for step in range(10)]
    path = case.write("ws/metrics.jsonl", "".join(rows))
    board = Board(case, "ws")
    first = board.json("/api/rows?run=0&after=0")
    with open(path, "a", encoding="utf-8") as file:
        file.truncate(sum(map(len, rows[:6])))
    after = f"&after={first['next']}&generation={first['generation']}"
    cut = board.json("/api/rows?run=0" + after)
    equal((cut["reset"], cut["next"], len(cut["rows"])), (True, 6, 6), "after the cut")
    with open(path, "a", encoding="utf-8") as file:
        file.write("".join(row(step, loss=2) for step in range(6, 20)))
    more = board.json(f"/api/rows?run=0&after={cut['next']}&generation={cut['generation']}")
    equal((more["reset"], len(more["rows"])), (False, 14), "after the resume")
    equal(board.json("/api/rows?run=0" + after)["reset"], True, "a page that missed the cut")
    board.end()


@check
def a_board_thins_long_series_and_keeps_spikes(case):
    case.write("ws/metrics.jsonl", "".join(row(step, loss=9 if step == 7777 else 1) for step in range(20000)))
    board = Board(case, "ws")
    answer = board.json("/api/rows?run=0&after=0&most=100")
    steps = [one["step"] for one in answer["rows"]]
    true(answer["thinned"] and len(steps) <= 100, f"{len(steps)} rows")
    true(7777 in steps and steps[-1] == 19999 and steps == sorted(steps), "spike, newest row, order")
    board.end()


@check
def a_board_refuses_requests_of_other_sites_and_kinds(case):
    case.write("ws/metrics.jsonl", row(1, loss=1) + "no row\n" + row(2, loss=2)[:9])
    case.write("secret", "secret")
    board = Board(case, "ws")
    equal(board.status("/api/runs", headers={"Host": "evil.example"}), 403, "a foreign Host")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        equal(board.status("/api/runs", method), 405, method)
    equal(board.status("/api/runs", "HEAD"), 200, "HEAD")
    for path in ("/../secret", "/%2e%2e/secret", "/ws/metrics.jsonl", "/api/rows?run=../secret",
                 "/api/run?run=..%2fsecret"):
        equal(board.status(path), 404, path)
    equal(board.status("/api/rows?run=0&after=x"), 400, "a wrong number")
    true(board.status("/" + "a" * 9000) in (414, 431), "a long URL")
    _, headers, _ = board.ask("/")
    has(headers["Content-Security-Policy"], "default-src 'self'", "policy")
    equal(headers["X-Content-Type-Options"], "nosniff", "X-Content-Type-Options")
    run = board.json("/api/runs")["runs"][0]
    equal((run["rows"], run["malformed"]), (1, 1), "rows beside damaged lines")
    board.end()


@check
def a_board_takes_no_request_from_the_body_of_one_that_it_refuses(case):
    case.write("ws/metrics.jsonl", row(1, loss=1))
    board = Board(case, "ws")
    inner = b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for line, header in ((b"POST /" + b"a" * 9000, b""), (b"POST /", b"Range: bytes=z\r\n")):
        with socket.create_connection(("127.0.0.1", board.url.port), timeout=60) as client:
            client.sendall(line + b" HTTP/1.1\r\nHost: localhost\r\n" + header
                           + b"Content-Length: %d\r\n\r\n" % len(inner) + inner)
            with client.makefile("rb") as answer:
                equal(answer.read().count(b"HTTP/1.1 "), 1, f"answers to {line[:9] + header}")
    board.end()


@check
def slow_clients_of_a_board_do_not_stop_others(case):
    case.write("ws/metrics.jsonl", row(1, loss=1))
    board = Board(case, "ws")
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", board.url.port)))
            slow.sendall(b"GET /api/runs HTTP/1.1\r\nHost: loc")
        start = time.monotonic()
        equal(board.json("/api/runs")["runs"][0]["rows"], 1, "rows")
        true(time.monotonic() - start < 5, "the answer came late")
        large = stack.enter_context(socket.create_connection(("127.0.0.1", board.url.port)))
        with contextlib.suppress(OSError):  # the board ends the connection
            for _ in range(10000):
                large.sendall(b"x" * 1000)
            raise AssertionError("10 MB of a request were taken")
    board.end()


@check
def a_board_for_other_machines_needs_its_token(case):
    case.write("ws/metrics.jsonl", row(1, loss=1))
    board = Board(case, "ws", "-host", "0.0.0.0")
    board.process.wait_until(lambda: "warning" in board.process.err, "the warning")
    token = urllib.parse.parse_qs(board.url.query)["token"][0]
    equal(board.status("/api/runs"), 403, "without a token")
    equal(board.status("/api/runs?token=" + "0" * len(token)), 403, "with a wrong token")
    equal(board.status(f"/metrics?token={token}"), 200, "with the token")
    _, headers, _ = board.ask(f"/?token={token}")
    cookie = headers["Set-Cookie"].split(";")[0]
    equal(board.status("/api/runs", headers={"Cookie": cookie}), 200, "with the cookie")
    board.end()


@check
def a_board_needs_a_workspace(case):
    equal(case.run("board", code=2).out, "", "stdout without a workspace")
    has(case.run("board", "none", code=66).err, "none: there is no such workspace", "stderr")
    case.write("ws/metrics.jsonl", row(1, loss=1))
    board = Board(case, "none", "ws")
    runs = board.json("/api/runs")["runs"]
    true(runs[0]["error"] and runs[1]["error"] is None, f"errors of {runs}")
    has(case.run("board", "ws", "-port", board.url.port, code=73).err, "cannot listen", "a used port")
    board.process.send(signal.SIGINT)
    board.process.end(0)
