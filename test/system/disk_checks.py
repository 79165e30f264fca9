"""Checks a workspace that cannot be written for a while, a limit on the size of its files, strays
in it, and files that contradict a checkpoint."""
import errno
import os
import re
import subprocess

from case import check, equal, has, learned, same_bytes, true
from job import ADAM, mlp
from process_checks import APART, processes

LONG = "train_steps: 900 disp_freq: 1 checkpoint_freq: 300 seed: 4"


def compiled(case, name, text):
    case.write(f"{name}.c", text)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", case.path(f"{name}.so"),
                    case.path(f"{name}.c"), "-ldl"], check=True)
    return case.path(f"{name}.so")


# While the file "full" exists, files below "ws" take half of each write, then ENOSPC.
FULL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
ssize_t write(int file, const void* bytes, size_t count) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (access("full", F_OK) != 0 || readlink(link, path, sizeof path - 1) < 0 ||
      !strstr(path, "/ws/"))
    return real(file, bytes, count);
  static __thread int again;
  if (count > 1 && !again++) return real(file, bytes, count / 2);
  again = 0;
  errno = ENOSPC;
  return -1;
}
"""


@check
def a_disk_that_is_full_for_a_while_costs_no_step_and_no_row(case):
    library = compiled(case, "full", FULL)
    case.write("job.conf", mlp(case.site.data, LONG))
    case.train("job.conf", workspace="whole")
    job = case.start_program(["env", f"LD_PRELOAD={library}", str(case.site.binary), "-conf",
                              "job.conf"])
    job.wait_until(lambda: case.last_step() >= 100, "row 100")
    case.write("full", "")
    step = case.last_step()
    job.wait_until(lambda: "wait in memory" in job.err, "it says that rows wait")
    case.path("full").unlink()
    job.end(0)
    true(step < 899, "the disk was full after the last row only")
    equal(learned(case.rows()), learned(case.rows("whole")), "rows")
    has(job.err, "wait in memory", "stderr")
    equal(job.err.count("wait in memory"), 1, "warnings of rows that wait")


@check
def a_limit_of_the_size_of_files_does_not_end_training_before_its_checkpoint(case):
    case.write("job.conf", mlp(case.site.data, LONG))
    job = case.start_program(["bash", "-c", f"trap '' XFSZ; ulimit -f 130; exec {case.site.binary} -conf job.conf"])
    job.end(74)
    has(job.err, "metrics.jsonl", "stderr")
    equal(case.steps(), [300, 600, 900], "checkpoints")


@check
def strays_among_the_checkpoints_are_passed_over_and_named(case):
    settings = "train_steps: {} checkpoint_freq: 5"
    case.train(mlp(case.site.data, settings.format(10)))
    folder = case.path("ws/checkpoint")
    (folder / "step999").write_text("a file")
    (folder / "step998").symlink_to("nowhere")
    (folder / "step997").mkdir()
    (folder / "step007").mkdir()
    (folder / "step99999999999999999999").mkdir()
    job = case.train(mlp(case.site.data, settings.format(12)), "-resume")
    for name in ("step999", "step998", "step997", "step007", "step99999999999999999999"):
        has(job.err, f"checkpoint/{name} is passed over", "stderr")
    has(job.err, "resumed from ws/checkpoint/step10", "stderr")
    true((folder / "step999").exists(), "a file of the user's was removed")


@check
def what_contradicts_the_checkpoint_is_78(case):
    settings = "train_steps: 10 checkpoint_freq: 5"
    case.train(mlp(case.site.data, settings))
    job = case.train(mlp(case.site.data, settings, updater=ADAM), "-resume", code=78)
    has(job.err, "was trained with kSGD, the job says kAdam", "stderr")
    has(job.err, "job.conf:", "stderr")
    job = case.train(mlp(case.site.data, settings, hidden=17), "-resume", code=78)
    has(job.err, 'param "w1" has the shape (16, 784) in it, in the net (17, 784)', "stderr")
    case.train(mlp(case.site.data, settings.replace("10", "12")), "-resume")


@check
def predict_and_verify_beside_a_job_that_removes_checkpoints_see_no_damage(case):
    conf = mlp(case.site.data, "train_steps: 100000 checkpoint_freq: 1 checkpoint_keep: 1")
    job = case.start_job(conf)
    job.wait_until(lambda: case.steps() != [], "a checkpoint")
    images = case.site.data / "t10k-images-idx3-ubyte"
    for _ in range(6):
        case.run("ckpt", "verify", "ws")
        case.run("predict", "-conf", "job.conf", images)
        case.run("export", "onnx", "-conf", "job.conf", "-checkpoint", "ws", "out.onnx")
    true(job.running(), "the job ended")
    job.kill()


@check
def log_files_of_processes_with_one_number_do_not_meet(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2"))
    case.train("job.conf")
    case.train("job.conf")
    names = [entry.name for entry in case.path("ws/log").iterdir() if not entry.is_symlink()]
    true(all(".rank0." in name and os.uname().nodename in name for name in names), f"names {names}")
    equal(len({name.split(".")[-2] for name in names}), len(names), "random parts")


@check
def a_link_in_the_locks_place_is_not_followed(case):
    case.path("ws").mkdir()
    case.path("ws/.lock").symlink_to(case.path("made"))
    job = case.train(mlp(case.site.data, "train_steps: 2"), code=73)
    has(job.err, "is a link", "stderr")
    true(not case.path("made").exists(), "a file was made behind the link")


@check
def a_limit_on_the_size_of_files_is_an_error_that_names_the_file(case):
    steps = "train_steps: 40 disp_freq: 1 checkpoint_freq: 10 seed: 3"
    case.write("job.conf", mlp(case.site.data, steps, updater=ADAM, hidden=64))
    case.train("job.conf", workspace="whole")
    # A checkpoint has 200 KiB of values; memory that processes share is a file, too.
    for name, args, code, file in (("one", (), 74, "/checkpoint/"),
                                   ("apart", processes(2, APART), 74, "/checkpoint/"),
                                   ("shared", processes(2), 69, "memory for the job's processes")):
        job = case.start_program(["bash", "-c", 'ulimit -c 0 -f 100; exec "$@"', "bash",
                                  str(case.site.binary), "-conf", "job.conf", *args, "-set",
                                  f"cluster.workspace={name}"]).end(code)
        has(job.err, "File too large", "stderr")
        has(job.err, file, "stderr")
        true(re.search(r"signal|dumped|restart", job.err) is None, f"not an error: {job.err}")
        equal(case.steps(name), [], "checkpoints")
    case.train("job.conf", workspace="one")
    same_bytes(case.newest("one"), case.newest("whole"))
    equal(learned(case.rows("one")), learned(case.rows("whole")), "rows")


@check
def a_folder_whose_entry_is_not_on_the_disk_is_made_again(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2"))
    library = case.site.binary.parent.parent / "lib/libfail_call.so"
    job = case.start_program(["env", f"LD_PRELOAD={library}", f"FAIL_CALL=main/fsync:1:{errno.EIO}",
                              f"FAIL_CALL_FIRED={case.path('fired')}", str(case.site.binary), "-conf",
                              "job.conf"])
    job.end(74)
    true(case.path("fired").exists(), "no folder was synced")
    true(not case.path("ws").exists(), "the folder stays, and the next run would not sync it")
    case.train("job.conf")
