"""Checks `singa predict -serve`: its answers, which requests it refuses, and how it ends."""
import concurrent.futures
import contextlib
import http.client
import json
import signal
import socket
import struct
import time

import predict_text_checks
from case import check, equal, has, true
from http_process import HttpProcess
from predict_checks import IMAGES, all_close, digit, png, predict, scores, trained

JSON = {"Content-Type": "application/json"}
FLOATS = {"Content-Type": "application/octet-stream"}


class Served(HttpProcess):
    """Served is a running `singa predict -serve`."""

    def __init__(self, case, *args):
        super().__init__(case, "predict", "-conf", "job.conf", "-serve", "-port", "0", *args)

    def post(self, body, headers=None, query=""):
        """Returns the status and the value of the answer."""
        status, _, answer = self.ask("/predict" + query, "POST", headers or JSON, body)
        return status, json.loads(answer)

    def rows(self, body, headers=None, query=""):
        status, answer = self.post(body, headers, query)
        equal(status, 200, f"status of {answer}")
        return answer["predictions"]

    def error(self, body, headers=None, query="", code=400):
        status, answer = self.post(body, headers, query)
        equal(status, code, f"status of {answer}")
        return answer["error"]

    def metric(self, name):
        (line,) = [line for line in self.text("/metrics").splitlines() if line.startswith(name + " ")]
        return float(line.split()[1])


def inputs(*records):
    return json.dumps({"inputs": records})


def sent(served, data):
    """Sends bytes and nothing after them. Returns the status of the answer."""
    with socket.create_connection(("127.0.0.1", served.url.port), timeout=60) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return int(client.makefile("rb").readline().split()[1])


@check
def a_server_answers_what_predict_prints(case):
    trained(case)
    expected = scores(predict(case, case.site.data / IMAGES).out)
    digits = [list(digit(case, i)) for i in range(150)]  # more than a batch
    served = Served(case)
    rows = served.rows(inputs(*digits))
    all_close([row["scores"] for row in rows], expected[:150], "scores of flat records")
    equal([row["record"] for row in rows], [str(i) for i in range(150)], "names")
    nested = [[one[y * 28:y * 28 + 28] for y in range(28)] for one in digits]
    shape = served.json("/")["input"]["shape"]
    if len(shape) == 3:
        nested = [[one] for one in nested]
    if len(shape) > 1:
        all_close([row["scores"] for row in served.rows(inputs(*nested))], expected[:150], "nested")
    floats = b"".join(struct.pack("<784f", *one) for one in digits)
    all_close([row["scores"] for row in served.rows(floats, FLOATS)], expected[:150], "floats")
    row = served.rows(png(digit(case, 3)), {"Content-Type": "image/png"})
    all_close([row[0]["scores"]], expected[3:4], "a picture")
    best = served.rows(inputs(digits[3]), query="?topk=2")[0]["top"]
    numbers = [float(x) for x in expected[3]]
    equal([one["class"] for one in best], sorted(range(10), key=lambda i: -numbers[i])[:2], "best")
    true(served.metric("singa_predict_records_total") >= 302, "records")
    equal(served.json("/health"), {"status": "ok"}, "health")
    served.end()


@check
def a_server_computes_requests_of_many_clients(case):
    trained(case)
    expected = scores(predict(case, case.site.data / IMAGES).out)
    served = Served(case, "-batch", "8")

    def client(first):
        """Sends records over one connection."""
        found = []
        with contextlib.closing(served.connect()) as connection:
            for i in range(first, first + 10):
                connection.request("POST", "/predict", inputs(list(digit(case, i))), JSON)
                found += json.loads(connection.getresponse().read())["predictions"]
        return [row["scores"] for row in found]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for first, found in zip(range(0, 160, 10), pool.map(client, range(0, 160, 10))):
            all_close(found, expected[first:first + 10], f"records from {first}")
    equal(served.metric("singa_predict_records_total"), 160, "records")
    case.note = f"{served.metric('singa_predict_batch_records_count'):.0f} batches"
    equal(served.metric("singa_predict_seconds_count"), 160, "requests")
    equal(served.metric("singa_predict_queue_records"), 0, "records that wait")
    served.end()


@check
def a_server_bounds_the_batch_by_what_can_wait(case):
    trained(case)
    served = Served(case, "-batch", str(2**31 - 1))
    true(served.json("/")["batch"] * 784 <= 16 << 20, "the batch")
    equal(len(served.rows(inputs([0] * 784))), 1, "rows")
    served.end()


@check
def a_server_refuses_what_it_cannot_answer(case):
    trained(case)
    served = Served(case)
    record = [0] * 784
    has(served.error("{"), "the body is no JSON", "half an object")
    has(served.error(b"\xff\xfe"), "the body is no JSON", "bytes")
    has(served.error(inputs(record, [1, 2])), "inputs[1] has 2 elements", "a short record")
    has(served.error(inputs(record, [*record[1:], "a"])), "inputs[1][783] is a text", "a text")
    has(served.error(inputs(*[record] * 1025), code=413), "at most 1024 records", "many records")
    has(served.error(b"123", FLOATS), "has 3 bytes, must have 3136", "a part of a number")
    has(served.error(b"no picture", {"Content-Type": "image/png"}), "the picture", "no picture")
    has(served.error(png(bytes(100), 10, 10), {"Content-Type": "image/png"}), "the net takes",
        "a picture of another size")
    has(served.error(inputs(record), query="?topk=11"), "topk must be from 0", "topk")
    has(served.error(inputs(record), {"Content-Type": "text/plain"}, code=415), "Content-Type", "type")
    equal(served.status("/nothing"), 404, "another path")
    equal(served.status("/predict"), 405, "GET")
    equal(served.status("/", "POST", JSON, "{}"), 405, "POST to /")
    equal(served.status("/predict", "POST", {**JSON, "Host": "evil.example"}, inputs(record)), 403,
          "a foreign Host")
    equal(served.status("/predict", "POST", {**JSON, "Content-Length": str(10**12)}), 413, "size")
    equal(served.status("/predict", "POST", {**JSON, "Content-Length": "x"}), 411, "no number")
    equal(served.status("/predict", "POST", JSON, iter([b"{}"])), 411, "no length")
    equal(len(served.rows(inputs(record))), 1, "rows after all this")
    served.end()


@check
def a_server_counts_each_answer_by_its_code(case):
    trained(case)
    served = Served(case)
    head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    for text, code in (("nonsense\r\n\r\n", 400), (f"{head}Content-Length: 9\r\n\r\n{{}}", 408),
                       (f"{head}Content-Length: x\r\n\r\n", 411),
                       (f"{head}Content-Length: {10**12}\r\n\r\n", 413),
                       (f"{head}Cookie: {'x' * 100_000}\r\n\r\n", 400),
                       (f"GET /{'x' * 100_000} HTTP/1.1\r\n\r\n", 431)):
        equal(sent(served, text.encode()), code, text[:100])
    equal(served.post(inputs([0] * 784))[0], 200, "status")
    equal(served.status("/predict"), 405, "GET")
    equal(served.status("/nothing"), 404, "a path that does not count")
    for code, count in ((200, 1), (400, 2), (405, 1), (408, 1), (411, 1), (413, 1), (431, 1)):
        equal(served.metric(f'singa_predict_requests_total{{code="{code}"}}'), count, f"code {code}")
    equal(served.text("/metrics").count("singa_predict_requests_total{"), 7, "codes")
    served.end()


@check
def slow_clients_of_a_server_do_not_stop_others(case):
    trained(case)
    served = Served(case)
    body = inputs([0] * 784)
    with contextlib.ExitStack() as stack:
        for i in range(300):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", served.url.port)))
            slow.sendall(b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
                         b"Content-Type: application/json\r\n" + b"\r\n{" * (i % 2))
        start = time.monotonic()
        equal(len(served.rows(body)), 1, "rows")
        true(time.monotonic() - start < 5, "the answer came late")
    served.end()


@check
def a_server_ends_with_whole_answers(case):
    trained(case)
    served = Served(case)
    body = inputs(*[[0] * 784] * 500)

    def client(_):
        """Asks until the server ends. Returns the number of answers."""
        with contextlib.closing(served.connect()) as connection:
            for count in range(10**9):
                try:
                    connection.request("POST", "/predict", body, JSON)
                    answer = connection.getresponse()
                except (http.client.RemoteDisconnected, OSError):
                    return count
                text = json.loads(answer.read())
                if answer.status == 503:  # the end came before the body
                    equal(text, {"error": "the server ends"}, "an answer")
                    return count
                equal((answer.status, len(text["predictions"])), (200, 500), "an answer")
                if answer.getheader("Connection") == "close":
                    return count + 1

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        clients = [pool.submit(client, i) for i in range(4)]
        served.process.wait_until(lambda: served.metric("singa_predict_seconds_count") >= 8, "answers")
        served.end()
        true(sum(one.result() for one in clients) >= 8, "answers")


@check
def a_server_for_other_machines_needs_its_token(case):
    trained(case)
    served = Served(case, "-host", "0.0.0.0")
    served.process.wait_until(lambda: "warning" in served.process.err, "the warning")
    body = inputs([0] * 784)
    equal(served.post(body)[0], 403, "without a token")
    equal(served.post(body, query="?" + served.url.query)[0], 200, "with the token")
    served.process.send(signal.SIGINT)
    served.process.end(0)


@check
def a_server_reads_texts(case):
    predict_text_checks.trained(case, carry="false")
    case.write("new", "abac\nabaca")
    expected = scores(predict(case, "new").out)
    served = Served(case)
    read = served.json("/")["input"]
    equal(read["characters"], ["\\n", "c", "a", "b"], "characters")
    equal(read["shortest_text"], 1, "the shortest text")
    rows = served.rows(inputs("abac\nabaca", "abac"))
    indices = ["\ncab".index(one) for one in "abac\nabaca"]
    all_close([row["scores"] for row in served.rows(inputs(indices))], expected, "indices")
    equal([row["step"] for row in rows], [*range(10), *range(4)], "steps")
    all_close([row["scores"] for row in rows], [*expected, *expected[:4]], "scores")
    has(served.error(inputs("abq")), "inputs[0]: character", "a character that the net lacks")
    has(served.error(inputs("a" * 11)), "must have 1 to 10", "a long text")
    has(served.error(b"", {"Content-Type": "image/png"}, code=415), "texts", "a picture")
    served.end()


@check
def a_flag_of_a_server_that_makes_no_sense_is_2(case):
    trained(case)
    idx = case.site.data / IMAGES
    has(predict(case, "-port", "1", idx, code=2).err, "-port is for -serve", "stderr")
    has(predict(case, "-serve", idx, code=2).err, "-serve has no INPUT", "stderr")
    for flag in (("-report",), ("-from", "idx"), ("-format", "json"), ("-generate", "3")):
        has(predict(case, "-serve", *flag, code=2).err, f"-serve has no {flag[0]}", "stderr")
    has(predict(case, "-serve", "-port", "70000", code=2).err, "must be from 0 to 65535", "stderr")
    served = Served(case)
    has(predict(case, "-serve", "-port", served.url.port, code=73).err, "cannot listen", "stderr")
    served.end()
