"""Checks workers as threads of one process: groups are synchronous inside, asynchronous outside."""
import array
import random
from signal import SIGTERM

from case import check, equal, has, learned, same_bytes, tensors, true
from job import ADAM, MOMENTUM, csv, dense, mlp

OFTEN = """train_steps: 1200 disp_freq: 10 test_freq: 90 checkpoint_freq: 7 checkpoint_keep: 5 seed: 3"""
LARGE = dict(hidden=700, batch=47)  # the first weight's gradient comes in pieces; uneven parts


def workers(count, groups=1):
    return ("-set", f"cluster.nworkers_per_group={count}",
            "-set", f"cluster.nworker_groups={groups}",
            "-set", f"cluster.nworkers_per_procs={count * groups}")


def floats(data):
    return array.array("f", data)


def furthest(a, b):
    """Returns the largest difference of two checkpoints' params, relative to a param's largest
    value."""
    first, second = (tensors(path / "model.safetensors") for path in (a, b))
    equal(sorted(first), sorted(second), "params")
    worst = 0
    for name, (_, _, data) in first.items():
        x, y = floats(data), floats(second[name][2])
        scale = max(map(abs, x))
        worst = max(worst, max(abs(p - q) for p, q in zip(x, y)) / scale)
    return worst


def same_as_one_worker(case, **net):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", **net))
    case.train("job.conf")
    for count in (2, 3):
        case.train("job.conf", *workers(count), workspace=f"ws{count}")
        case.train("job.conf", *workers(count), workspace=f"again{count}")
        same_bytes(case.newest(f"ws{count}"), case.newest(f"again{count}"))
        worst = furthest(case.newest(), case.newest(f"ws{count}"))
        case.note += f"{count} workers: {worst:.1e} off; "
        true(worst < 1e-5, f"{count} workers end {worst} off one worker")
        for one, several in zip(case.rows(), case.rows(f"ws{count}")):
            true(abs(one["loss"] - several["loss"]) < 1e-5, f"rows {one} and {several}")


@check
def workers_of_a_group_compute_what_one_worker_does_and_the_same_bytes_each_time(case):
    same_as_one_worker(case, **LARGE)


@check
def a_job_is_the_same_where_openmp_may_start_fewer_threads(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 10 disp_freq: 1 test_freq: 5", **LARGE))
    case.train("job.conf", *workers(2))  # evaluations take two threads
    case.start_program(["env", "OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true", str(case.site.binary),
                        "-conf", "job.conf", *workers(2), "-set", "cluster.workspace=few"]).end(0)
    for few, all_ in zip(case.rows("few"), case.rows(), strict=True):
        true(abs(few["loss"] - all_["loss"]) < 1e-5, f"rows {few} and {all_}")


@check
def workers_clip_by_the_norm_of_the_groups_gradient(case):
    same_as_one_worker(case, updater=MOMENTUM + " clip_norm: 0.5", **LARGE)


@check
def a_group_that_is_killed_resumes_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, OFTEN, updater=ADAM, batch=48))
    case.train("job.conf", *workers(3))
    moments = random.Random(1)
    kills = 0
    for attempt in range(5):
        job = case.start_job("job.conf", *["-resume"] * (attempt > 0), *workers(3),
                             workspace="killed")
        if not job.ends_within(moments.uniform(0, 0.6)):
            kills += 1
            job.kill()
    case.train("job.conf", "-resume", *workers(3), workspace="killed")
    true(kills > 1, f"only {kills} jobs were killed before their end")
    same_bytes(case.newest("killed"), case.newest())
    equal(learned(case.rows("killed")), learned(case.rows()), "rows of metrics.jsonl")


@check
def a_checkpoint_of_one_worker_goes_on_with_several_and_back(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 40 disp_freq: 1"))
    case.train("job.conf")
    for steps, count in ((15, 1), (25, 3), (40, 2)):
        job = case.train("job.conf", "-resume", "-set", f"train_steps={steps}", *workers(count),
                         workspace="moved")
    has(job.err, '"topology" differs from the checkpoint', "stderr")
    true(furthest(case.newest(), case.newest("moved")) < 1e-5, "the job went another way")


@check
def a_bad_record_of_one_worker_ends_the_group(case):
    case.write("points.csv", "0,1,2,3,4\n" * 9 + "0,1,2,x,4\n" + "1,2,3,4,5\n" * 20)
    conf = csv("points.csv", "train_steps: 50 disp_freq: 1", 6)
    err = case.train(conf, *workers(3), code=65).err
    has(err, 'points.csv:10: record 9: number 3 in column 4 is "x"', "stderr")


@check
def a_group_that_diverges_names_layer_param_and_step(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    conf = csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37)
    has(case.train(conf, *workers(3), code=79).err, " is not finite", "stderr")
    # The two workers do not find the same steps bad, and both drop each of them.
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    norm = dense("fc0", "data", 0, 3) + """
      layer { name: "norm" type: kBM srclayers: "fc0" }""" + dense("fc", "norm", 1, 3)
    for layers in (dense("fc", "data", 1, 3), norm):
        conf = csv("points.csv", "train_steps: 20 disp_freq: 20 on_nonfinite: kSkip", 2,
                   layers=layers)
        has(case.train(conf, *workers(2)).err, "; 1 skipped", "stderr")


@check
def groups_train_one_replica_each_at_its_own_pace(case):
    conf = mlp(case.site.data, "train_steps: 1500 disp_freq: 300 test_freq: 1500",
               updater="type: kSGD learning_rate { type: kFixed base_lr: 0.1 }", hidden=64,
               dropout=0)
    case.train(conf, *workers(1, groups=3))
    rows = case.rows(phase="train")
    equal(sorted({row["group"] for row in rows}), [0, 1, 2], "groups with rows")
    for group in range(3):
        equal([row["step"] for row in rows if row["group"] == group], [0, 300, 600, 900, 1200],
              f"rows of group {group}")
    accuracy = case.rows(phase="test")[-1]["accuracy"]
    case.note = f"accuracy {accuracy:.4f}"
    true(accuracy > 0.93, f"3 groups learned {accuracy}")


def served(*settings):
    """Returns settings of groups with separate values, which servers keep in sync."""
    return [word for setting in ("share_memory=false", "nservers_per_group=2") + settings
            for word in ("-set", f"cluster.{setting}")]


@check
def a_group_with_servers_computes_what_one_worker_does(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", **LARGE))
    case.train("job.conf")
    for count in (1, 3):
        case.train("job.conf", *workers(count), *served(), workspace=f"ws{count}")
        case.train("job.conf", *workers(count), *served(), workspace=f"again{count}")
        same_bytes(case.newest(f"ws{count}"), case.newest(f"again{count}"))
        worst = furthest(case.newest(), case.newest(f"ws{count}"))
        case.note += f"{count} workers: {worst:.1e} off; "
        true(worst < 1e-5, f"{count} workers end {worst} off one worker")


@check
def groups_with_servers_learn_and_go_on(case):
    conf = mlp(case.site.data, "train_steps: 1500 disp_freq: 300 test_freq: 1500 checkpoint_freq: 400",
               updater="type: kSGD learning_rate { type: kFixed base_lr: 0.1 }", hidden=64,
               dropout=0)
    case.write("job.conf", conf)
    case.train("job.conf")
    case.note = f"one worker {case.rows(phase='test')[-1]['accuracy']:.4f}; "
    for name, settings in {
            "downpour": (), "bounded": ("max_staleness=2",),
            "hogwild": ("nserver_groups=2", "sync_freq=5"),
            "ring": ("nserver_groups=2", "sync_freq=5", "group_sync=kRing"),
            "elastic": ("nserver_groups=2", "sync_freq=2", "group_sync=kElastic",
                        "elastic_alpha=0.4")}.items():
        more = (*workers(2, groups=2), *served(*settings))
        case.train("job.conf", "-set", "train_steps=900", *more, workspace=name)
        case.train("job.conf", "-resume", *more, workspace=name)
        accuracy = case.rows(name, phase="test")[-1]["accuracy"]
        case.note += f"{name} {accuracy:.4f} "
        # With a centre each group takes its own steps alone, half as many as together.
        true(accuracy > (0.85 if name == "elastic" else 0.93), f"{name} learned {accuracy}")


@check
def servers_are_told_of_steps_that_are_dropped(case):
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    conf = csv("points.csv", "train_steps: 20 disp_freq: 20 on_nonfinite: kSkip", 2)
    has(case.train(conf, *workers(2), *served()).err, "; 1 skipped", "stderr")
    conf = csv("points.csv", "train_steps: 20 disp_freq: 20", 2)
    has(case.train(conf, *workers(2), *served(), code=79).err, " is not finite", "stderr")


@check
def groups_go_on_from_their_own_steps(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2000 disp_freq: 20", batch=20))
    job = case.start_job("job.conf", *workers(2, groups=2))
    job.wait_until(lambda: case.last_step() > 100, "step 100")
    job.send(SIGTERM)
    job.end(143)
    before = case.rows()
    case.train("job.conf", "-resume", *workers(2, groups=2), "-set", "train_steps=400")
    rows = case.rows(phase="train")
    for group in (0, 1):
        steps = [row["step"] for row in rows if row["group"] == group]
        equal(sorted(set(steps)), steps, f"rows of group {group}, after {len(before)}")
        equal(steps[-1], 380, f"last row of group {group}")


@check
def the_first_group_warms_up_alone(case):
    conf = mlp(case.site.data, "train_steps: 120 disp_freq: 1 warmup_steps: 60")
    case.train(conf, *workers(1, groups=2))
    rows = case.rows(phase="train")
    first = next(i for i, row in enumerate(rows) if row["group"] == 1)
    done = [row["step"] for row in rows[:first] if row["group"] == 0]
    true(len(done) >= 60, f"group 1 began after {len(done)} steps of group 0")


# Each row of the batch has a state that passes from step to step.
CARRIED = """
train_steps: %s disp_freq: 1 checkpoint_freq: 7
num_openblas_threads: 1
train_one_batch { alg: kBPTT }
updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
neuralnet {
  unroll_len: 5
  layer { name: "text" type: kCharRNN char_rnn_conf {
    path: "text" vocab_path: "vocabulary" unroll_len: 5 batchsize: 7 } }
  layer { name: "label" type: kRNNLabel srclayers: "text" }
  layer { name: "hot" type: kOneHot srclayers: "text" onehot_conf { vocab_size: 5 } }
  layer { name: "gru" type: kGRU srclayers: "hot" %s
          gru_conf { dim_hidden: 8 carry_state: true } }
  layer { name: "norm" type: kBM srclayers: "gru" }
  layer { name: "drop" type: kDropout srclayers: "norm" dropout_conf { dropout_ratio: 0.2 } }
  layer { name: "fc" type: kInnerProduct srclayers: "drop" innerproduct_conf { num_output: 5 }
          param { init { type: kUniform low: -0.5 high: 0.5 } } param { init { type: kConstant } } }
  layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" }
}
cluster { workspace: "ws" }
"""


@check
def states_of_rows_and_batch_norm_go_on_with_other_numbers_of_workers(case):
    param = "param { init { type: kUniform low: -0.5 high: 0.5 } } "
    case.write("text", "abcdeabdce" * 100)
    case.write("vocabulary", "abcde")
    case.write("job.conf", CARRIED % (20, param * 9))
    case.train("job.conf")
    for steps, count in ((4, 3), (9, 1), (20, 2)):
        case.train("job.conf", "-resume", "-set", f"train_steps={steps}", *workers(count),
                   workspace="moved")
    worst = furthest(case.newest(), case.newest("moved"))
    case.note = f"{worst:.1e} off"
    true(worst < 1e-5, f"the job went another way: {worst}")
