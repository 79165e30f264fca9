"""Checks `singa plan`: its plans, its errors, and the times that it keeps."""
import json
import math
import shutil
import xml.etree.ElementTree

from case import check, equal, has, true
from command_checks import files
from group_checks import workers
from process_checks import APART, processes

JOB = """name: "small" seed: 3 train_steps: 10 num_openblas_threads: 1
train_one_batch { alg: kBP } updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
neuralnet {
  layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 12 shape: 40 std_value: 255
          synthetic_conf { records: 64 classes: 6 } } }
  layer { name: "fc1" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 24 }
          param { name: "w1" init { type: kGaussian std: 0.1 } } param { name: "b1" init { type: kConstant } } }
  layer { name: "relu" type: kReLU srclayers: "fc1" }
  layer { name: "fc2" type: kInnerProduct srclayers: "relu" innerproduct_conf { num_output: 6 }
          param { name: "w2" init { type: kGaussian std: 0.1 } } param { name: "b2" init { type: kConstant } } }
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc2" srclayers: "data" }
}
"""
MACHINE = """name: "two cores" cores: 2
gflops: 100
gb_per_s: 10
"""
LAYERS = ["data", "fc1", "relu", "fc2", "loss"]
ALWAYS = ["found", "data", "own", "units", "hybrid"]  # where the net has one plan alone, too
UNTIL_NOW = "before (-fresh measures again)"


def write(case):
    case.write("job.conf", JOB)
    case.write("machine.conf", MACHINE)


def plan(case, *args, code=0):
    return case.run("plan", *args, "job.conf", code=code)


def plans(case, *args):
    """Returns the object that -json prints, and its plans by name."""
    def refuse(word):
        raise ValueError(f"the bare word {word}")
    found = json.loads(plan(case, "-json", *args).out, parse_constant=refuse)
    return found, {one["name"]: one for one in found["plans"]}


def expect_good(one):
    for field in ("step_ms", "memory_mb"):
        true(math.isfinite(one[field]) and one[field] > 0, f"{field} of {one}")
    for field in ("bytes", "link_bytes", "compute_ms", "speed_up"):
        true(math.isfinite(one[field]) and one[field] >= 0, f"{field} of {one}")
    equal([layer["name"] for layer in one["layers"]], LAYERS, "layers")
    equal(one["bytes"], sum(layer["bytes"] for layer in one["layers"]), "bytes of all layers")


@check
def a_plan_has_numbers_for_each_way_to_divide_a_net(case):
    write(case)
    before = files(case.folder)
    for args in ((), ("-workers", 2), ("-workers", 3, "-hosts", 2, "-link", "1,20"),
                 ("-workers", 4, "-hosts", 2, "-machine", "machine.conf")):
        found, by_name = plans(case, *args)
        equal(list(by_name)[:5], ALWAYS, f"plans with {args}")
        for one in by_name.values():
            expect_good(one)
        true(by_name["found"]["step_ms"] <= by_name["data"]["step_ms"], "found and data")
        equal([layer["partition_dim"] for layer in by_name["data"]["layers"]], [0] * 5, "data")
        equal(found["workers"], dict(zip(args[::2], args[1::2])).get("-workers", 1), "workers")
    equal([layer["partition_dim"] for layer in by_name["units"]["layers"]], [0, 1, 1, 1, 0], "units")
    params = 4 * (40 * 24 + 24 + 24 * 6 + 6)
    true(by_name["data"]["link_bytes"] >= params, f"bytes between hosts of {by_name['data']}")
    left = [name for name in files(case.folder) if not name.startswith(".cache")]
    equal(left, before, "files")


@check
def a_plan_shows_a_table_of_layers_and_one_of_plans(case):
    write(case)
    shown = plan(case, "-workers", 2, "-hosts", 2, "-link", "1,50").out
    for line in ("found ", "data ", "own ", "units ", "hybrid "):
        has(shown, f"\n{line}", "the table")
    has(shown, "1.00 Gbit/s, 50 us", "the link")
    for layer in LAYERS:
        has(shown, layer, "the table of layers")


@check
def a_plan_for_numbers_that_no_cluster_has_is_a_wrong_call(case):
    write(case)
    wrong = [("-workers", text) for text in ("0", "-1", "two", "nan", "1.5", "1e9", "")]
    wrong += [("-workers", "2", "-hosts", text) for text in ("0", "-1", "3", "x", "nan")]
    wrong += [("-link", text) for text in ("0,1", "10,-1", "x", "nan", "inf,1", "10,nan", "10,", ",1", "1,2,3")]
    wrong += [("-verify", "-machine", "machine.conf"), ("-verify", "-workers", "2", "-hosts", "2")]
    for args in wrong:
        failed = plan(case, *args, code=2)
        equal(failed.out, "", f"stdout of {args}")
        has(failed.err, "-verify" if "-verify" in args else args[-2], f"stderr of {args}")
    few = plan(case, "-workers", 13, code=78)
    has(few.err, "store_conf.batchsize: must be >= 13", "more workers than rows")


@check
def a_mistake_in_a_machine_file_has_its_place(case):
    write(case)
    has(plan(case, "-machine", "nowhere.conf", code=66).err, "nowhere.conf", "stderr")
    for line, place, error in (
            ("gflops: 0 gb_per_s: 1", "1:1", "gflops: must be > 0, is 0"),
            ("gflops: 1 gb_per_s: nan", "1:11", "gb_per_s: must be finite, is nan"),
            ("gflops: 1 gb_per_s: 1\nspeed: 3", "2:1", "speed: no such field in MachineProto"),
            ("gflops: 1 gb_per_s: 1\n link_gbit: 0", "2:2", "link_gbit: must be > 0, is 0"),
            ("gflops: 1 gb_per_s: 1 cores: 0", "1:23", "cores: must be from 1 to 4096, is 0"),
            ("gflops: 1 gb_per_s: 1 rate { gflops: 1 }", "1:23", "rate[0].type: is missing")):
        case.write("bad.conf", line)
        failed = plan(case, "-machine", "bad.conf", code=78)
        equal(failed.out, "", "stdout")
        has(failed.err, f"bad.conf:{place}: error: {error}", "stderr")
    case.write("bad.conf", "gb_per_s: 1")
    has(plan(case, "-machine", "bad.conf", code=78).err, "gflops: is missing", "stderr")


@check
def a_plan_for_1024_workers_takes_less_than_5_seconds(case):
    write(case)
    large = ("plan", "-json", "-workers", 1024, "-hosts", 512, "-machine", "machine.conf",
             "-set", "neuralnet.layer[data].store_conf.batchsize=4096",
             "-set", "neuralnet.layer[fc1].innerproduct_conf.num_output=4096", "job.conf")
    # The limit is one of processor time, which does not depend on the other checks.
    done = case.start_program(["prlimit", "--cpu=5", str(case.site.binary), *map(str, large)]).end(0)
    for one in json.loads(done.out)["plans"]:
        expect_good(one)


@check
def verify_measures_all_plans(case):
    write(case)
    _, by_name = plans(case, "-verify", "-workers", 2)
    for one in by_name.values():
        true(math.isfinite(one["measured_ms"]) and one["measured_ms"] > 0, f"measured_ms of {one}")
    has(plan(case, "-verify", "-workers", 2).out, "measured ms", "the table")


@check
def a_plan_says_what_takes_time_and_which_hosts_have_workers(case):
    write(case)
    case.path("cache").mkdir()
    words = ["env", f"XDG_CACHE_HOME={case.path('cache')}", str(case.site.binary), "plan", "-json",
             "-workers", "5", "-hosts", "4", "job.conf"]
    first = case.start_program(words).end(0)
    has(first.err, "singa plan: measures the layers on this machine", "stderr")
    equal(json.loads(first.out)["hosts"], 3, "hosts with two workers or one")
    hosts = ("singa plan: hosts: 3, as 5 workers, 2 on a host, need no more\n"
             "singa plan: each host is taken to have a server: set all_reduce {}, or nservers_per_group: 3, in cluster\n")
    equal(case.start_program(words).end(0).err, hosts, "stderr with kept times")


@check
def a_plan_knows_how_many_hosts_have_servers(case):
    """Far from a server, a worker sends the gradients of its own units, too."""
    write(case)
    sent = {}
    for servers in (1, 2):
        _, by_name = plans(case, "-workers", 2, "-hosts", 2, "-set", f"cluster.nservers_per_group={servers}")
        sent[servers] = by_name["units"]["link_bytes"]
    true(sent[1] > 1.5 * sent[2], f"bytes of one server and of two: {sent}")


@check
def a_plan_that_fits_into_no_memory_is_shown_and_fails(case):
    write(case)
    case.write("small.conf", "gflops: 10 gb_per_s: 10 memory_gb: 0.0001\n")
    job = case.run("plan", "-workers", 2, "-machine", "small.conf", "-json", "job.conf", code=69)
    equal(json.loads(job.out)["note"], "no plan fits into the memory of a worker", "the note")
    has(job.err, "singa: error: no plan fits into the memory of a worker, which is 0.05 MB", "stderr")


@check
def a_plan_is_drawn_if_dot_is_installed(case):
    write(case)
    code = 0 if shutil.which("dot") else 66
    drawn = plan(case, "-svg", "-workers", 2, code=code)
    if code == 0:
        equal(xml.etree.ElementTree.fromstring(drawn.out).tag, "{http://www.w3.org/2000/svg}svg", "svg")
    case.path("empty").mkdir()
    words = ["env", f"PATH={case.path('empty')}", str(case.site.binary), "plan", "-svg", "job.conf"]
    without = case.start_program(words).end(66)
    equal(without.out, "", "stdout")
    has(without.err, "-svg needs Graphviz's `dot`, which is not installed", "stderr")


@check
def a_row_has_the_step_that_a_plan_of_the_job_predicted(case):
    write(case)
    units = ("-set", "neuralnet.layer[fc1].partition_dim=1")

    def predicted(workspace, *settings):
        case.train("job.conf", "-set", "disp_freq=9", *settings, workspace=workspace)
        rows = case.rows(workspace, "train")
        return rows[-1].get("predicted_step_ms")
    equal(predicted("before", *workers(2)), None, "a prediction without a plan")
    plan(case, "-machine", "machine.conf", "-workers", 2)
    equal(predicted("other", *workers(2)), None, "a prediction for another machine")
    _, by_name = plans(case, "-workers", 2, *units)
    for name, settings in (("rows", workers(2)), ("two", processes(2))):
        equal(predicted(name, *settings), by_name["data"]["step_ms"], f"{name}, by rows")
        equal(predicted(name + "-units", *settings, *units), by_name["own"]["step_ms"], f"{name}, by units")
    equal(predicted("three", *workers(3)), None, "a prediction for three workers")
    equal(predicted("one"), None, "a prediction for one worker")


@check
def a_plan_has_the_threads_of_a_run(case):
    case.write("job.conf", JOB.replace("num_openblas_threads: 1", ""))

    def run(threads, *words):
        command = ["env", f"OMP_NUM_THREADS={threads}", str(case.site.binary), *words]
        return case.start_program(command).end(0).out
    for threads in (2, 3):
        found = json.loads(run(threads, "plan", "-json", "-workers", "2", "job.conf"))
        equal(found["threads"], threads, "threads of each of two processes")
    found = json.loads(run(2, "plan", "-json", *workers(2), "job.conf"))
    equal(found["threads"], 1, "threads of each worker of a process")
    run(2, "-conf", "job.conf", *workers(2), "-set", "disp_freq=9", "-set", "cluster.workspace=ws")
    data = found["plans"][1]
    equal(case.rows(phase="train")[-1]["predicted_step_ms"], data["step_ms"], f"the row, by {data['name']}")


@check
def a_plan_reads_kept_times_if_they_are_whole(case):
    write(case)
    cache = case.path(".cache/singa/plan")
    first, _ = plans(case, "-workers", 2)
    true(UNTIL_NOW not in first["source"], "the first plan measures")
    kept = sorted(cache.iterdir())
    true(kept, "no times are kept")
    again, _ = plans(case, "-workers", 2)
    has(again["source"], UNTIL_NOW, "the second plan")
    equal(again["one_worker_ms"], first["one_worker_ms"], "the time of one worker")
    fresh, _ = plans(case, "-workers", 2, "-fresh")
    true(UNTIL_NOW not in fresh["source"], "-fresh measures")
    for damage in (b"", b"{", b"[]", b'{"layers": 3}', b"\xff\0" * 99,
                   kept[0].read_bytes().replace(b"forward_ms", b"x"),
                   kept[0].read_bytes().replace(b'"rest_ms": ', b'"rest_ms": -')):
        for file in kept:
            file.write_bytes(damage)
        measured, by_name = plans(case, "-workers", 2)
        true(UNTIL_NOW not in measured["source"], f"{damage!r} is read")
        for one in by_name.values():
            expect_good(one)
        equal(sorted(cache.iterdir()), kept, "files of the cache")
    for file in kept:
        file.unlink()
        file.mkdir()
    plans(case, "-workers", 2)
    shutil.rmtree(cache)
    cache.write_text("no folder")
    plans(case, "-workers", 2)


def memory(case, settings, units):
    """Returns the memory of the group's processes with so many units in fc1: measured, and planned."""
    case.train("job.conf", *settings, "-set", f"neuralnet.layer[fc1].innerproduct_conf.num_output={units}",
               "-set", "disp_freq=9", workspace="ws")
    row = case.rows(phase="train")[-1]
    return row["memory_mb"], row["predicted_memory_mb"]


@check
def a_row_has_the_memory_of_the_groups_processes_as_it_was_planned(case):
    case.write("job.conf", JOB)
    places = {"threads": workers(2), "three": workers(3), "processes": processes(2)}
    cuts = {"rows": (), "units": ("-set", "neuralnet.layer[fc1].partition_dim=1")}
    for place, settings in places.items():
        for cut, divided in cuts.items():
            (base, tiny), (used, planned) = (memory(case, (*settings, *divided), units) for units in (24, 60000))
            true(planned > 20 and tiny < 1, f"{place}, {cut}: planned {planned} and {tiny} MB")
            error = planned / (used - base) - 1
            case.note += f"{place}, {cut}: {100 * error:+.1f} %; "
            true(abs(error) < 0.08, f"{place}, {cut}: {planned} MB planned, {used - base} MB used")
    for rank, row in enumerate(case.rows(phase="process")[-2:]):
        true(row["rank"] == rank and 0 < row["memory_mb"] < used, f"row {row}")
    case.train("job.conf", workspace="one")
    true("memory_mb" not in case.rows("one", "train")[0], "a row of one worker has memory")


@check
def a_row_counts_the_messages_of_servers(case):
    """How many are there at a time depends on the speed of the servers."""
    case.write("job.conf", JOB)
    for servers in (1, 2):
        settings = processes(2, APART, f"cluster.nservers_per_group={servers}")
        (base, _), (used, planned) = (memory(case, settings, units) for units in (24, 60000))
        case.note += f"{servers}: {planned:.0f} MB planned, {used - base:.0f} MB used; "
        true(used - base < 1.08 * planned, f"{servers} servers: {planned} MB planned, {used - base} MB used")
        true(planned < 1.6 * (used - base), f"{servers} servers: {planned} MB planned, {used - base} MB used")
