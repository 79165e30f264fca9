"""Checks `singa bench`: its figures must fit together, and it must leave nothing behind.
test/driver/timing/step_timer_test.cc tests the times of layers, with a clock of its own."""
import json
import xml.etree.ElementTree

from case import check, close, equal, has, true
from command_checks import files
from job import csv, dense, mlp

TIMES = ("forward_ms", "backward_ms", "update_ms")


def bench(case, *args):
    """Returns the objects that -json prints: those of the layers by name, and the step's."""
    lines = case.run("bench", "-json", *args).out.splitlines()
    *layers, step = [json.loads(line) for line in lines]
    return {row["layer"]: row for row in layers}, step


@check
def bench_tells_each_part_of_a_step_and_leaves_no_file(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5 test_freq: 1 checkpoint_freq: 1"))
    before = files(case.folder)
    layers, step = bench(case, "-steps", "30", "job.conf")
    equal(files(case.folder), before, "files")
    equal(step["steps"], 30, "steps")
    equal(step["batch"], 50, "rows of a batch")
    true(not step["synthetic"], "the data was there")
    for row in [*layers.values(), step]:
        true(all(row[name] >= 0 for name in TIMES), f"a time below 0 in {row}")
    for name in ("late_update_ms", "data_wait_ms", "overhead_ms"):
        true(0 <= step[name] <= step["step_ms"], f"{name} of {step}")
    close(step["samples_per_second"], 50e3 / step["step_ms"], 1e-6, "samples per second")
    true(step["peak_rss_bytes"] > 1 << 20 and step["copy_gb_per_s"] > 0, f"machine of {step}")


@check
def bench_counts_the_arithmetic_that_a_step_needs(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5"))
    layers, step = bench(case, "-steps", "3", "job.conf")
    first, second = 50 * 784 * 16, 50 * 16 * 10
    equal(layers["fc1"]["flops"], 2 * 2 * first, "fc1: feature and weights, no input gradient")
    equal(layers["fc2"]["flops"], 3 * 2 * second, "fc2: feature, weights, input gradient")
    equal(layers["relu"]["flops"], 0, "relu")
    equal(step["flops"], 2 * 2 * first + 3 * 2 * second, "all")
    values, params = 4 * 50 * 16, 4 * (784 * 16 + 16)
    # relu reads x and writes y; its gradient reads y and dy and writes dx. fc1 has the data twice,
    # y and dy; the params as feature and update read them, their gradients, momentum, and the
    # updated numbers.
    equal(layers["relu"]["bytes"], 5 * values, "bytes of relu")
    equal(layers["fc1"]["bytes"], 2 * 4 * 50 * 784 + 2 * values + (1 + 1 + 5) * params,
          "bytes of fc1")
    for row in layers.values():
        took = row["forward_ms"] + row["backward_ms"]
        close(row["gflops"] * took * 1e6, row["flops"], 1e-6, f"GFLOP/s of {row['layer']}")
        close(row["fma_share"], row["gflops"] / step["fma_peak_gflops"], 1e-6, "share of the peak")


@check
def bench_counts_a_layer_that_another_does_the_work_of_once(case):
    layers = (dense("wide", "data", 1, 8) + """
  layer { name: "bn" type: kBM srclayers: "wide"
          param { name: "g" init { type: kConstant value: 1 } } param { name: "o" }
          param { name: "m" } param { name: "v" init { type: kConstant value: 1 } } }
  layer { name: "relu" type: kReLU srclayers: "bn" }""" + dense("fc", "relu", 2, 3))
    case.write("points.csv", "0,1,2,3,4\n1,4,3,2,1\n" * 10)
    case.write("job.conf", csv("points.csv", "train_steps: 4", 10, layers=layers))
    rows, _ = bench(case, "-steps", "3", "job.conf")
    equal(rows["relu"]["bytes"], 0, "bytes of relu")
    true(rows["bn"]["bytes"] > 0, "no bytes of bn")


@check
def bench_takes_noise_where_files_are_missing(case):
    case.write("job.conf", mlp("nowhere", "train_steps: 5", val=True))
    layers, step = bench(case, "-steps", "2", "job.conf")
    true(step["synthetic"], "noise was taken")
    equal(list(layers), ["data", "split(data)", "fc1", "relu", "drop", "fc2", "loss"],
          "layers")
    shown = case.run("bench", "-steps", "2", "job.conf")
    has(shown.err, "noise in place of data: ", "stderr")
    has(shown.err, "there is no file \"nowhere/train-images-idx3-ubyte\"", "stderr")
    has(shown.out, "peak RSS", "the table")
    equal(files(case.folder), ["job.conf"], "files")


@check
def bench_synthetic_reads_no_data(case):
    case.write("points.csv", "7,not,numbers,at,all\n")
    case.write("job.conf", csv("points.csv", "train_steps: 4", 5))
    case.run("bench", "job.conf", code=65)
    _, step = bench(case, "-synthetic", "-steps", "2", "job.conf")
    equal(step["batch"], 5, "rows of a batch")
    case.train("job.conf", "-set", "neuralnet.layer[data].store_conf.backend=synthetic", "-set",
               "neuralnet.layer[data].store_conf.synthetic_conf.classes=3")


@check
def bench_takes_noise_for_image_files(case):
    case.write("job.conf", csv("files.kv", "train_steps: 2", 5).replace("kCSVInput", "kRecordInput")
               .replace("batchsize", "encoded: true batchsize"))
    case.run("check", "job.conf", code=66)
    bench(case, "-steps", "2", "job.conf")
    store = "neuralnet.layer[data].store_conf"
    job = case.train("job.conf", "-set", f"{store}.backend=synthetic", "-set",
                     f"{store}.synthetic_conf.classes=3")
    has(job.err, 'encoded: has no effect with backend "synthetic"', "stderr")


def workers_of(case, *args):
    """Returns the objects of the workers, of gradients by name, and of processes."""
    lines = case.run("bench", "-json", "-steps", "10", "job.conf", *args).out.splitlines()
    rows = [json.loads(line) for line in lines]
    gradients = {row["gradient"]: row for row in rows if "gradient" in row}
    return rows[-1], gradients, [row for row in rows if "process" in row]


@check
def bench_measures_the_workers_of_a_job_in_each_mode(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5 test_freq: 1 checkpoint_freq: 1"))
    before = files(case.folder)
    two = ["-set", "cluster.nworkers_per_group=2"]
    one_each = [*two, "-set", "cluster.nworkers_per_procs=1"]
    apart = [*one_each, "-set", "cluster.share_memory=false"]
    power = [*apart, "-set", "cluster.all_reduce.compression=kPowerSGD"]
    groups = ["-set", "cluster.nworker_groups=2", "-set", "cluster.nworkers_per_procs=1"]
    values = 4 * (784 * 16 + 16 + 16 * 10 + 10)  # bytes
    for sync, processes, least, most, sets in (
            ("threads", 1, 0, 0, [*two, "-set", "cluster.nworkers_per_procs=2"]),
            ("shared host memory", 2, 0, values / 10, one_each),
            ("servers", 2, values, 3 * values, apart),
            ("messages between processes", 2, 1, values, power),
            ("servers", 2, 1, 5 * values, groups)):
        step, gradients, shares = workers_of(case, *sets)
        true(step["sync"].startswith(sync), f"{sync}: {step}")
        equal(step["processes"], processes, "processes")
        equal(step["steps"], 10, "steps")
        equal(len(gradients), 4, "gradients")
        parts = ("compute_ms", "exposed_ms", "communication_ms", "worker_wait_ms", "update_ms")
        true(all(0 <= step[name] <= step["step_ms"] for name in parts), f"{sync}: {step}")
        true(sync not in ("servers", "messages between processes") or step["communication_ms"] > 0,
             f"{sync}: gradients take no time: {step}")
        true(least <= step["bytes_sent"] <= most, f"{sync}: bytes of {step}")
        of_first = processes - 1 if sets is groups or processes == 1 else processes
        equal(len(shares), of_first, "lines of processes of group 0")
        if shares:
            close(sum(row["bytes_sent"] for row in shares), step["bytes_sent"], 1e-6, "bytes")
        for row in gradients.values():
            true(row["sum_ms"] is None or row["sum_ms"] >= row["ready_ms"], f"{sync}: {row}")
    equal(files(case.folder), before, "files")


def trace_of(case, conf, *args):
    """Returns the events of a trace that have a time, after checks of all: they lie within the step of
    their process and nest on their tracks."""
    case.run("bench", "-steps", "5", "-trace", "t.json", "-flame", "t.svg", conf, *args)
    trace = json.loads((case.folder / "t.json").read_text())
    equal(trace["displayTimeUnit"], "ms", "unit")
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    tracks, steps = {}, {}
    for event in events:
        start = round(event["ts"] * 1e3)  # nanoseconds
        end = start + round(event["dur"] * 1e3)
        tracks.setdefault((event["pid"], event["tid"]), []).append((start, -end))
        if event["cat"] == "step":
            steps[event["pid"]] = start, end
    for (rank, _), track in tracks.items():
        begin, last = steps[rank]
        open_ends = [last]
        for start, end in sorted(track):
            while len(open_ends) > 1 and open_ends[-1] <= start:
                open_ends.pop()
            true(begin <= start <= -end <= open_ends[-1], f"{start} to {-end} is not in {open_ends}")
            open_ends.append(-end)
    equal(steps[0][0], 0, "begin of rank 0's step")
    # A busy machine may hold a process up within a short step.
    longest = max(end - begin for begin, end in steps.values())
    true(all(abs(begin) <= max(longest, 10**9) for begin, _ in steps.values()),
         f"steps on other clocks: {steps}")
    names = {event["pid"]: event["args"]["name"] for event in trace["traceEvents"]
             if event["name"] == "process_name"}
    equal(names, {rank: f"rank {rank}" for rank in steps}, "names of processes")
    return events


@check
def bench_traces_a_step_of_one_and_of_two_workers(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5"))
    two = ["-set", "cluster.nworkers_per_group=2"]
    threads = [*two, "-set", "cluster.nworkers_per_procs=2"]
    apart = [*two, "-set", "cluster.nworkers_per_procs=1", "-set", "cluster.share_memory=false"]
    for sets, workers, kinds in (([], [(0, 0)], {"update"}),
                                 (threads, [(0, 0), (0, 1)], {"update", "communication"}),
                                 (apart, [(0, 0), (1, 0)], {"communication"})):
        events = trace_of(case, "job.conf", *sets)
        equal(len({event["args"]["step"] for event in events if event["cat"] == "step"}), 1, "steps")
        for worker in workers:  # rank and track
            own = [event for event in events if (event["pid"], event["tid"]) == worker]
            layers = {event["args"]["layer"].split("@")[0] for event in own
                      if event["cat"] == "forward"}
            equal(layers, {"data", "split(data)", "fc1", "relu", "drop", "fc2", "loss"},
                  f"layers of worker {worker}")
        found = {event["cat"] for event in events}
        true(kinds | {"step", "forward", "backward"} <= found, f"kinds with {sets}: {found}")
        picture = xml.etree.ElementTree.fromstring((case.folder / "t.svg").read_text())
        titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
        for name in ("step ", "forward: ", "backward: ", "fc1: "):
            true(any(title.startswith(name) for title in titles), f"no {name!r} in {titles}")
    equal(files(case.folder), ["job.conf", "t.json", "t.svg"], "files")
    failed = case.run("bench", "-steps", "1", "-trace", "nowhere/t.json", "job.conf", code=73)
    has(failed.err, "nowhere/t.json", "stderr")


@check
def bench_and_plan_measure_a_schedule_in_epochs(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 5"))
    epochs = ["-set", "updater.learning_rate.unit=kEpochs"]
    two = [*epochs, "-set", "cluster.nworkers_per_group=2"]
    threads = [*two, "-set", "cluster.nworkers_per_procs=2"]
    apart = [*two, "-set", "cluster.nworkers_per_procs=1", "-set", "cluster.share_memory=false"]
    for sets in (epochs, threads, apart, [*threads, "-set", "neuralnet.partition=kAuto"]):
        equal(workers_of(case, *sets)[0]["steps"], 10, "steps")
    case.run("plan", "-workers", "2", *epochs, "job.conf")


@check
def bench_used_wrongly_is_2_and_a_mistake_78(case):
    case.write("job.conf", mlp("nowhere", "train_steps: 5"))
    for words in ([], ["-steps", "0", "job.conf"], ["-steps", "many", "job.conf"],
                  ["-steps", "job.conf"], ["-json=1", "job.conf"], ["-resume", "job.conf"],
                  ["job.conf", "other.conf"], ["-trace", "job.conf"],
                  ["-trace", "out", "-flame", "out", "job.conf"]):
        equal(case.run("bench", *words, code=2).out, "", f"stdout of bench {words}")
    case.run("check", "-steps", "3", "job.conf", code=2)
    case.run("bench", "none.conf", code=66)
    case.write("job.conf", mlp("nowhere", "train_steps: -5"))
    case.run("bench", "job.conf", code=78)
