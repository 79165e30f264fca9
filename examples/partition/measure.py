#!/usr/bin/env python3
"""Measures the jobs of this folder with each division of their layers, by 2 and by 4 workers.

usage: python3 examples/partition/measure.py SINGA [--rounds 3] [--steps N] [--mbit 1000] [--write]
           [--svg FILE] [WORD of a case]...
       SINGA     the program
       --steps   of each run, at least 3; if not given, as the job says
       --mbit    speed of the link between two hosts
       --write   put the table into README.md and the picture beside it (speed.svg)
       --svg     the picture's file
       WORD      measure only cases whose names hold a WORD, such as "mlp, 2 workers, threads"
needs: root, with ip and tc of iproute2, for the cases with two hosts; else they are left out

The workers are threads, processes that send each other all bytes over loopback, or processes of two
hosts. Network namespaces stand for the hosts, and a token bucket bounds the link between them in each
direction. The divisions of one case take turns. A figure is the harmonic mean of samples_per_second over
the rows of metrics.jsonl but the first, as they have equal numbers of samples, and the median over rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "test/bench"))
import partition  # noqa: E402
import results_file  # noqa: E402

JOBS = ["mlp", "alexnet"]
BY_UNITS = {  # the layers of "hybrid"
    "mlp": ["fc1", "relu1", "fc2", "relu2", "fc3", "relu3"],
    "alexnet": ["ip6", "relu6", "drop6", "ip7", "relu7", "drop7", "ip8"],
}
CUTS = ["rows", "features", "hybrid", "auto"]
COLOURS = dict(zip(CUTS, ("#888888", "#4477aa", "#66ccee", "#ee6677")))
WORKERS = [2, 4]
NOTE = "R x U after a layer's name are the parts of rows and units; 1 x 1 is the whole layer in each worker."


def settings_of(job, cut):
    """Returns the settings that divide the layers."""
    if cut == "hybrid":
        return [f"neuralnet.layer[{name}].partition_dim=1" for name in BY_UNITS[job]]
    return {"rows": [], "features": ["neuralnet.partition_dim=1"], "auto": ["neuralnet.partition=kAuto"]}[cut]


def places(workers):
    """Returns the name of each place of the workers, with its settings."""
    apart = ["cluster.share_memory=false"]
    return {
        "threads": [f"cluster.nworkers_per_procs={workers}"],
        "loopback": [*apart, f"cluster.nservers_per_group={workers}"],
        "two hosts": [*apart, f"cluster.nworkers_per_procs={workers // 2}", "cluster.nservers_per_group=2"],
    }


def run(args, case, cut, hosts):
    """Returns the samples a second of one run, and the layers that are not divided by rows."""
    job, workers, place = case
    with tempfile.TemporaryDirectory(prefix="singa-partition-") as folder:
        words = [os.path.abspath(args.singa), "-conf", str(HERE / f"{job}.conf")]
        sets = [f"cluster.workspace={folder}/ws", f"cluster.nworkers_per_group={workers}",
                *places(workers)[place], *settings_of(job, cut)]
        if place == "two hosts":
            sets.append(f"cluster.link_gbit={args.mbit / 1000}")
        if args.steps:
            sets += [f"train_steps={args.steps}", "disp_freq=1"]
        for setting in sets:
            words += ["-set", setting]
        commands = hosts.commands(words) if place == "two hosts" else [words]
        partition.run_all(commands, folder, f"{name_of(case)}, {cut}")
        rows = [json.loads(line) for line in pathlib.Path(folder, "ws/metrics.jsonl").read_text().splitlines()]
        chosen = pathlib.Path(folder, "ws/partition.json")
        layers = json.loads(chosen.read_text())["layers"] if chosen.exists() else []
        divided = [layer["name"] + ("" if layer["rows"] == 1 and layer["units"] > 1 else
                                    f" {layer['rows']} x {layer['units']}") for layer in layers]
    speeds = [row["samples_per_second"] for row in rows if row.get("phase") == "train"]
    return statistics.harmonic_mean(speeds[1:]), divided


def name_of(case):
    job, workers, place = case
    return f"{job}, {workers} workers, {place}"


def measure(args, case, hosts):
    """Returns the samples a second by cut, and what kAuto chose."""
    speeds, chosen = {cut: [] for cut in CUTS}, []
    for _ in range(args.rounds):
        for cut in CUTS:
            speed, divided = run(args, case, cut, hosts)
            speeds[cut].append(speed)
            chosen = divided if cut == "auto" else chosen
        print(f"{name_of(case)}: " + ", ".join(f"{cut} {speeds[cut][-1]:.1f}" for cut in CUTS),
              file=sys.stderr)
    return {cut: statistics.median(of) for cut, of in speeds.items()}, chosen


def picture(results):
    """Returns an SVG: for each case, a bar for each division, as a share of the fastest one."""
    width, bar, head, left = 720, 11, 46, 220
    scale = width - left - 90
    lines, y = [], head
    for case, (speeds, _) in results.items():
        lines.append(f'<text x="{left - 8}" y="{y + 2 * bar + 4}" text-anchor="end">{name_of(case)}</text>')
        for cut, speed in speeds.items():
            length = scale * speed / max(speeds.values())
            lines.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 1}" fill="{COLOURS[cut]}"/>')
            lines.append(f'<text x="{left + length + 4:.1f}" y="{y + bar - 2}" font-size="9">{speed:.3g}</text>')
            y += bar
        y += bar
    for i, (cut, colour) in enumerate(COLOURS.items()):
        lines.append(f'<rect x="{left + 90 * i}" y="26" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{left + 90 * i + 14}" y="35">{cut}</text>')
    title = '<text x="8" y="16" font-size="13">Samples a second; a bar is a share of the fastest division</text>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" font-family="sans-serif" '
            f'font-size="11">\n<rect width="{width}" height="{y}" fill="white"/>\n{title}\n'
            + "\n".join(lines) + "\n</svg>\n")


def table(results):
    """Returns the lines of a table in Markdown."""
    rows = [[*case, *(f"{speeds[cut]:.1f}" for cut in CUTS), ", ".join(divided) or "none"]
            for case, (speeds, divided) in results.items()]
    return results_file.table(["job", "workers", "place", *CUTS, "layers that auto does not divide by rows"], rows)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("singa")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--mbit", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--svg")
    args = parser.parse_intermixed_args()
    if args.steps is not None and args.steps < 3:
        parser.error("--steps must be >= 3")
    conditions = results_file.Conditions()
    cases = [(job, workers, place) for job in JOBS for workers in WORKERS for place in places(workers)
             if not args.words or any(word in name_of((job, workers, place)) for word in args.words)]
    hosts = None
    if os.getuid() == 0:
        hosts = partition.Hosts(args.mbit)
    elif any(place == "two hosts" for *_, place in cases):
        print("LEFT OUT: two hosts, as only root can make network namespaces", file=sys.stderr)
        cases = [case for case in cases if case[2] != "two hosts"]
    try:
        results = {case: measure(args, case, hosts) for case in cases}
    finally:
        if hosts:
            hosts.stop()
    lines = [*conditions.lines(), *table(results), "",
             f"Samples a second; {args.rounds} rounds; two hosts: a link of {args.mbit} Mbit/s.", NOTE]
    print("\n".join(lines))
    if args.write:
        results_file.write_table(HERE / "README.md", lines)
    if args.write or args.svg:
        pathlib.Path(args.svg or HERE / "speed.svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
