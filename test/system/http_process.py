"""Talks to a subcommand that serves HTTP."""
import contextlib
import http.client
import json
import signal
import urllib.parse

from case import equal, true


class HttpProcess:
    """HttpProcess is a running program, and the address that it prints."""

    def __init__(self, case, *args):
        self.process = case.start(*args)
        self.process.wait_until(lambda: "\n" in self.process.out, "the first line")
        self.url = urllib.parse.urlsplit(self.process.out.split("\n")[0])
        true(self.url.scheme == "http" and self.url.port, f"no URL: {self.process.out}")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=60)

    def ask(self, path, method="GET", headers=None, body=None):
        """Returns the status, the headers and the body."""
        with contextlib.closing(self.connect()) as connection:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def status(self, *args, **keywords):
        return self.ask(*args, **keywords)[0]

    def text(self, path):
        status, _, body = self.ask(path)
        equal(status, 200, path)
        return body.decode()

    def json(self, path):
        return json.loads(self.text(path))

    def end(self):
        self.process.send(signal.SIGTERM)
        self.process.end(0)
