"""Checks what `singa plan` says about the ways to exchange gradients between hosts."""
from case import check, equal, has, true
from plan_checks import plan, plans, write

MODES = {"kNone": "servers", "kFp16": "servers", "kTopK, 1 %": "servers", "kThreshold, if 1 % are sent": "servers",
         "kPowerSGD, rank 2": "messages between processes", "kPartial, 1 bucket": "messages between processes",
         "kOuter, 10 steps": "servers"}


@check
def a_plan_of_hosts_says_which_ways_to_send_gradients_pay(case):
    write(case)
    settings = ("-set", "cluster.all_reduce.sparsity=0.01", "-set", "cluster.sync_freq=10")
    found, by_name = plans(case, "-workers", 2, "-hosts", 2, "-link", "0.01,10000", *settings)
    modes = {mode["name"]: mode for mode in found["gradients"]}
    equal({name: mode["by"] for name, mode in modes.items()}, MODES, "modes and who adds up")
    whole = modes["kNone"]
    equal(whole["step_ms"], by_name["own"]["step_ms"], "whole gradients")
    for name, mode in modes.items():
        true(0 <= mode["exposed_ms"] <= mode["step_ms"], f"exposed part of {name}: {mode}")
    share = {name: mode["link_bytes"] / whole["link_bytes"] for name, mode in modes.items()}
    true(0.45 < share["kFp16"] < 0.55 and share["kTopK, 1 %"] < 0.05, f"shares of bytes: {share}")
    true(abs(share["kOuter, 10 steps"] - 0.1) < 1e-2, f"shares of bytes: {share}")
    true(modes["kTopK, 1 %"]["pays"] and not modes["kPartial, 1 bucket"]["pays"], f"modes: {modes}")
    true(modes["kFp16"]["exposed_ms"] < whole["exposed_ms"], "fewer bytes are hidden sooner")
    table = plan(case, "-workers", 2, "-hosts", 2, "-link", "10000,0", *settings).out
    has(table, "no gain here", "a plan for a link that is faster than any codec")
    alone = plan(case, "-workers", 2).out
    has(alone, "whole, by shared host memory (one group on one host)", "the way on one host")
    true("gradients" not in plans(case, "-workers", 2)[0], "modes of one host")
