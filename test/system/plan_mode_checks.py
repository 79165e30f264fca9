"""Checks what `singa plan` says about the ways to exchange gradients between hosts."""
from case import check, equal, has, true
from plan_checks import plan, plans, write

MODES = {"kNone": "servers", "kFp16": "servers", "kTopK, 1 %": "servers", "kThreshold, if 1 % are sent": "servers",
         "kPowerSGD, rank 2": "messages between processes", "kPartial, 1 bucket": "messages between processes",
         "kOuter, 10 steps": "servers"}
CODED = ("kFp16", "kTopK, 1 %", "kThreshold, if 1 % are sent", "kPowerSGD, rank 2")


@check
def a_plan_of_hosts_says_which_ways_to_send_gradients_pay(case):
    write(case)
    settings = ("-set", "cluster.all_reduce.sparsity=0.01", "-set", "cluster.sync_freq=10")
    found, by_name = plans(case, "-workers", 2, "-hosts", 2, "-link", "0.01,1000", *settings)
    modes = {mode["name"]: mode for mode in found["gradients"]}
    equal({name: mode["by"] for name, mode in modes.items()}, MODES, "modes and who adds up")
    whole = modes["kNone"]
    equal(whole["step_ms"], by_name["own"]["step_ms"], "whole gradients")
    for name, mode in modes.items():
        parts = [mode[part] for part in ("compute_ms", "encode_ms", "exposed_ms")]
        true(min(parts) >= 0 and abs(sum(parts) - mode["step_ms"]) < 1e-6, f"parts of a step of {name}: {mode}")
        equal(mode["encode_ms"] > 0, name in CODED, f"encoding of {name}")
    share = {name: mode["link_bytes"] / whole["link_bytes"] for name, mode in modes.items()}
    true(0.45 < share["kFp16"] < 0.55 and share["kTopK, 1 %"] < 0.05, f"shares of bytes: {share}")
    true(abs(share["kOuter, 10 steps"] - 0.1) < 1e-2, f"shares of bytes: {share}")
    true(modes["kTopK, 1 %"]["pays"] and not modes["kPartial, 1 bucket"]["pays"], f"modes: {modes}")
    true(modes["kFp16"]["exposed_ms"] < whole["exposed_ms"], "fewer bytes are hidden sooner")
    fast = plan(case, "-workers", 2, "-hosts", 2, "-link", "10000,0", *settings)
    has(fast.out, "no gain here", "a plan for a link that is faster than any codec")
    true("warning" not in fast.err, f"warnings of a run that nobody asked for:\n{fast.err}")
    alone = plan(case, "-workers", 2).out
    has(alone, "whole, by shared host memory (one group on one host)", "the way on one host")
    true("gradients" not in plans(case, "-workers", 2)[0], "modes of one host")


@check
def a_wrong_link_and_too_many_hosts_say_what_to_type(case):
    write(case)
    has(plan(case, "-link", "100Mbit", code=2).err,
        '-link: "100Mbit" is not a valid number: give Gbit/s, or Gbit/s and microseconds, such as 0.1,50', "-link")
    has(plan(case, "-hosts", "2", code=2).err, "-hosts 2 needs a worker for each host, the job's conf has "
        "1 worker: set -workers 2 or more", "-hosts")


GPUS = """gpus: 1
gflops: 15000
gb_per_s: 700
"""


@check
def a_plan_of_gpus_has_the_ways_of_nccl(case):
    write(case)
    case.write("gpus.conf", GPUS)
    settings = ("-workers", 2, "-hosts", 2, "-link", "0.01", "-set", "cluster.all_reduce.sparsity=0.01")
    found, by_name = plans(case, *settings, "-machine", "gpus.conf")
    timed = {mode["name"]: mode for mode in found["gradients"]}
    equal({name: mode["by"] for name, mode in timed.items()}, dict.fromkeys(
        ("kNone", "kFp16", "kTopK, 1 %", "kThreshold, 1 %", "kPowerSGD, rank 2", "kPartial, 1 bucket"), "NCCL"), "modes")
    equal(timed["kNone"]["step_ms"], by_name["own"]["step_ms"], "whole gradients")
    true(timed["kTopK, 1 %"]["pays"], f"modes: {timed}")
    bytes_alone = plans(case, *settings, "-set", "gpu=0")[0]["gradients"]
    for mode in bytes_alone:
        equal(mode["link_bytes"], timed[mode["name"]]["link_bytes"], f"bytes of {mode['name']}")
        true("step_ms" not in mode and mode["link_ms"] > 0, f"times of {mode['name']}")
    equal(len(bytes_alone), len(timed), "modes without a machine file")
    table = plan(case, *settings, "-set", "gpu=0")
    has(table.out, "the GPUs' speed is not known: -machine describes it", "the table")
    has(table.err, "gpu is left out: layers are measured on the CPU", "stderr")
