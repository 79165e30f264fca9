"""Checks the line at the bottom of a terminal, and the time that a job still takes."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from bad_record_checks import job as picture_job, pictures
from case import LIMIT_S, check, equal, has, true
from job import mlp

JOB = "train_steps: 5 test_freq: 5 disp_freq: 1"


def on_a_terminal(case, columns=0):
    """Returns the output of job.conf, which must end well, on a terminal."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [str(case.site.binary), "-conf", "job.conf"]
    job = subprocess.Popen(command, cwd=case.folder, stdout=subprocess.PIPE, stderr=terminal,
                           env=os.environ | {"TERM": "xterm"})
    out, _ = job.communicate(timeout=LIMIT_S)
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(master, 4096):
            shown += part
    except OSError:  # EIO: nobody holds the terminal's other side
        os.close(master)
    equal((job.returncode, out), (0, b""), "exit code and stdout")
    return shown


@check
def progress_is_one_bar_where_stderr_is_a_terminal(case):
    case.write("job.conf", mlp(case.site.data, JOB))
    shown = on_a_terminal(case)
    for part in (b"\r\x1b[K", b"[##########] 5/5", b"loss ", b"accuracy ",
                 b"samples/s", b"left"):
        true(part in shown, f"no {part} in {shown}")


@check
def a_warning_takes_the_place_of_the_bar(case):
    pictures(case)
    case.write("job.conf", picture_job("", "on_bad_record: kSkip", steps=30))
    shown = on_a_terminal(case)
    equal(shown.count(b"\r\x1b[Kwarning: pictures/"), shown.count(b"pictures/class"), "warnings")
    true(b"warning: pictures/" in shown, f"no warning: {shown}")


@check
def the_bar_shows_metrics_where_no_rows_are_asked_for(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 3000 disp_freq: 0", hidden=8))
    shown = on_a_terminal(case)
    for part in (b"samples/s, loss ", b"accuracy "):
        true(part in shown, f"no {part} in {shown}")


@check
def a_narrow_terminal_shows_whole_numbers(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2000 disp_freq: 10", hidden=8))
    for columns, least in ((80, b", accuracy "), (40, b"loss "), (20, b"loss ")):
        lines = [line.split(b"\r\n")[0] for line in on_a_terminal(case, columns).split(b"\r\x1b[K")]
        bars = [line for line in lines if re.search(rb"\d+/2000", line)]
        true(bars, f"no bar on {columns} columns: {lines}")
        for line in bars:
            true(len(line) < columns, f"{len(line)} on {columns} columns: {line}")
            true(least in line, f"no {least} on {columns} columns: {line}")
            for name, number in re.findall(rb"(loss|accuracy) ?(\S*?)(?:,|$)", line):
                true(re.fullmatch(rb"\d+\.\d{4}", number), f"{name} {number} in {line}")


@check
def the_time_left_is_not_told_from_the_first_step(case):
    err = case.train(mlp(case.site.data, "train_steps: 3000 disp_freq: 1", hidden=8)).err
    rows = re.findall(r"^train step \d+: .*$", err, re.MULTILINE)
    for row in rows[:3]:
        true("left" not in row, f"of the first steps: {row}")
    has(rows[-1], "0:00 left", "the last row")
