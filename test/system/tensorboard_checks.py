"""Checks the event files for TensorBoard against metrics.jsonl."""
import struct

from case import check, equal, has, same_bytes, tensors, true
from event_file import Events, doubles, fields
from job import dense, mlp

NO_SCALARS = {"time", "phase", "step", "group", "layer", "host", "pid", "staleness", "rank"}
SETTINGS = """train_steps: 40 disp_freq: 3 test_freq: 10 checkpoint_freq: 8 tensorboard: true
              tensorboard_histogram_freq: 10"""


def float32(value):
    return struct.unpack("<f", struct.pack("<f", float(value)))[0]


def scalars(rows):
    """Returns what TensorBoard must show of rows of metrics."""
    found = {}
    for row in rows:
        begin = f"group{row['group']}/" if row["group"] else ""
        begin += row["phase"] + "/"
        if row["phase"] == "process":
            begin += f"rank{row['rank']:.0f}/"
        for name, value in row.items():
            if name not in NO_SCALARS:
                found[begin + name, row["step"]] = float32(value)
    return found


def same_scalars(case, events, workspace="ws"):
    found = {(tag, step): value for tag, step, value in events.scalars}
    equal(len(found), len(events.scalars), "scalars, each step once")
    equal(found, scalars(case.rows(workspace)), "scalars")


@check
def event_files_equal_metrics_jsonl(case):
    conf = mlp(case.site.data, SETTINGS)
    case.train(conf)
    events = Events(case.path("ws"))
    same_scalars(case, events)
    equal((len(events.paths), events.starts, len(events.graphs)), (1, [0], 1),
          "files, starts, graphs")
    graph = [dict(fields(node)) for number, node in fields(events.graphs[0]) if number == 1]
    types = {node[1]: node[2] for node in graph}
    equal((types.get(b"data"), types.get(b"fc1")), (b"kRecordInput", b"kInnerProduct"), "types")
    # A run without TensorBoard has the same numbers, and is converted afterwards.
    case.train("job.conf", "-set", "tensorboard=false", "-set", "tensorboard_histogram_freq=0",
               workspace="plain")
    equal(Events(case.path("plain")).paths, [], "event files without tensorboard")
    same_bytes(case.newest(), case.newest("plain"))
    job = case.run("export", "tensorboard", "plain")
    has(job.err, "scalars", "stderr")
    same_scalars(case, Events(case.path("plain")), "plain")
    has(case.run("export", "tensorboard", "plain", code=73).err, "exists already", "stderr")
    case.run("export", "tensorboard", "plain", "away/events")
    same_scalars(case, Events(case.path("away/events")), "plain")
    case.run("export", "tensorboard", "nowhere", code=66)
    has(case.run("export", "tensorboard", code=2).err, "the workspace is missing", "stderr")


@check
def histograms_count_all_values_and_gradients(case):
    case.train(mlp(case.site.data, SETTINGS))
    events = Events(case.path("ws"))
    expected = {(f"{kind}/{name}", step) for kind in ("values", "gradients")
                for name in ("w1", "b1", "w2", "b2") for step in (0, 10, 20, 30)}
    equal({(tag, step) for tag, step, _ in events.histograms}, expected, "tags and steps")
    sizes = {name: len(data) // 4 for name, (_, _, data) in
             tensors(case.newest() / "model.safetensors").items()}
    for tag, _, histogram in events.histograms:
        count = sizes[tag.split("/")[1]]
        equal((histogram[3], sum(doubles(histogram[7]))), (count, count), f"numbers in {tag}")
        equal(len(histogram[6]), len(histogram[7]), f"buckets of {tag}")
        true(histogram[1] <= histogram[2], f"least and largest of {tag}")


@check
def after_a_kill_and_a_resume_no_event_comes_twice(case):
    case.train(mlp(case.site.data, """train_steps: 2000 disp_freq: 7 test_freq: 90 tensorboard: true
                   checkpoint_freq: 40 tensorboard_histogram_freq: 30"""), workspace="whole")
    whole = Events(case.path("whole"))
    for trial in range(2):
        job = case.start_job("job.conf", *["-resume"] * trial)
        job.wait_until(lambda trial=trial: case.last_step() > 300 + 300 * trial, "the kill")
        job.kill()
    # A crash of the system may leave a part of a record.
    newest = sorted(case.path("ws").glob("events.out.tfevents.*"))[-1]
    newest.write_bytes(newest.read_bytes() + b"\x18\0\0\0\0\0")
    case.train("job.conf", "-resume")
    events = Events(case.path("ws"))
    same_scalars(case, events)
    equal(len(events.paths), 3, "files, one for each start")
    equal([(tag, step) for tag, step, _ in events.histograms],
          [(tag, step) for tag, step, _ in whole.histograms], "histograms")
    equal([histogram[4] for *_, histogram in events.histograms],
          [histogram[4] for *_, histogram in whole.histograms], "sums of histograms")
    # A new run has files of its own.
    case.train("job.conf", "-set", "train_steps=40")
    equal(len(Events(case.path("ws/previous")).paths), 3, "files in previous/")
    same_scalars(case, Events(case.path("ws")))


@check
def tags_name_layers_and_groups_where_there_are_several(case):
    second = dense("side", "relu", 3, 10) + """
  layer { name: "aux" type: kSoftmaxLoss srclayers: "side" srclayers: "data" }"""
    case.train(mlp(case.site.data, "train_steps: 4 disp_freq: 2 tensorboard: true", layers=second),
               "-set", "cluster.nworker_groups=2", "-set", "cluster.nworkers_per_procs=2")
    tags = {tag for tag, *_ in Events(case.path("ws")).scalars}
    for tag in ("train/loss/loss", "train/loss/aux", "train/lr", "group1/train/loss/aux",
                "group1/train/step_ms"):
        true(tag in tags, f"{tag} is not among {sorted(tags)}")
    case.run("export", "tensorboard", "ws", "again")
    equal({tag for tag, *_ in Events(case.path("again")).scalars}, tags, "tags of the export")
