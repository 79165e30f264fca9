"""Checks jobs whose workers divide layers by rows and by units (partition_dim, partition_grid)."""
import array
from signal import SIGKILL

from case import check, equal, has, learned, same_bytes, tensors, true
from group_checks import workers
from job import ADAM, MOMENTUM
from process_checks import APART, PLACES, disturbed, processes

CONF = """name: "divided" seed: 5 train_steps: 20 disp_freq: 1 test_steps: 2 test_freq: 10
train_one_batch {{ alg: kBP }} updater {{ {updater} }}
neuralnet {{
  layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: 23
          shape: 3 shape: 12 shape: 12 std_value: 255 synthetic_conf {{ records: 200 classes: 6 }} }} }}
  layer {{ name: "conv1" type: kConvolution srclayers: "data" {0}
          convolution_conf {{ num_filters: 7 kernel: 3 pad: 1 }}
          param {{ name: "w1" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b1" init {{ type: kConstant }} }} }}
  layer {{ name: "relu1" type: kReLU srclayers: "conv1" {1} }}
  layer {{ name: "pool1" type: kPooling srclayers: "relu1" {2}
          pooling_conf {{ pool: MAX kernel: 2 stride: 2 }} }}
  layer {{ name: "norm1" type: kLRN srclayers: "pool1" lrn_conf {{ local_size: 3 }} }}
  layer {{ name: "ip1" type: kInnerProduct srclayers: "norm1" {3} innerproduct_conf {{ num_output: 20 }}
          param {{ name: "w2" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b2" init {{ type: kConstant }} }} }}
  layer {{ name: "drop" type: kDropout srclayers: "ip1" {4} }}
  layer {{ name: "ip2" type: kInnerProduct srclayers: "drop" {5} innerproduct_conf {{ num_output: 6 }}
          param {{ name: "w3" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b3" init {{ type: kConstant }} }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "ip2" srclayers: "data" }}
}}
"""


# A batch of 23 rows has slices of 7, 8 and 8. Labels go with the rows.
ROWS = """name: "rows" seed: 5 train_steps: 20 disp_freq: 1 test_steps: 2 test_freq: 10
train_one_batch {{ alg: kBP }} updater {{ {updater} }}
neuralnet {{
  layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: 23
          shape: 30 std_value: 255 synthetic_conf {{ records: 200 classes: 6 }} }} }}
  layer {{ name: "slice" type: kSlice srclayers: "data" slice_conf {{ slice_dim: 0 num_slices: 3 }} }}
  layer {{ name: "ip1" type: kInnerProduct srclayers: "slice:0" {0} innerproduct_conf {{ num_output: 9 }}
          param {{ name: "w1" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b1" init {{ type: kConstant }} }} }}
  layer {{ name: "ip2" type: kInnerProduct srclayers: "slice:2" {1} innerproduct_conf {{ num_output: 9 }}
          param {{ name: "w2" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b2" init {{ type: kConstant }} }} }}
  layer {{ name: "join" type: kConcate srclayers: "ip1" srclayers: "ip2" concate_conf {{ concate_dim: 0 }} }}
  layer {{ name: "drop" type: kDropout srclayers: "join" {2} }}
  layer {{ name: "ip3" type: kInnerProduct srclayers: "drop" {3} innerproduct_conf {{ num_output: 6 }}
          param {{ name: "w3" init {{ type: kGaussian std: 0.1 }} }} param {{ name: "b3" init {{ type: kConstant }} }} }}
  layer {{ name: "labels" type: kConcate srclayers: "slice:0" srclayers: "slice:2" concate_conf {{ concate_dim: 0 }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "ip3" srclayers: "labels" }}
}}
"""


# A part of w1 has at least 1.3 MB, enough for a gradient in pieces.
WIDE = """name: "wide" seed: 5 train_steps: 20 disp_freq: 1 test_steps: 2 test_freq: 10
train_one_batch {{ alg: kBP }} updater {{ {updater} }}
neuralnet {{
  layer {{ name: "data" type: kRecordInput store_conf {{ backend: "synthetic" batchsize: 23
          shape: 1100 std_value: 255 synthetic_conf {{ records: 200 classes: 6 }} }} }}
  layer {{ name: "ip1" type: kInnerProduct srclayers: "data" {0} innerproduct_conf {{ num_output: 1210 }}
          param {{ name: "w1" init {{ type: kGaussian std: 0.02 }} }} param {{ name: "b1" init {{ type: kConstant }} }} }}
  layer {{ name: "ip2" type: kInnerProduct srclayers: "ip1" {1} innerproduct_conf {{ num_output: 6 }}
          param {{ name: "w2" init {{ type: kGaussian std: 0.02 }} }} param {{ name: "b2" init {{ type: kConstant }} }} }}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "ip2" srclayers: "data" }}
}}
"""
NETS = {6: CONF, 4: ROWS, 2: WIDE}  # by the number of layers that are divided


# How a layer is divided. g: two parts of the rows, each in parts of the units; w: each worker has all.
DIVISIONS = {"0": "partition_dim: 0", "1": "partition_dim: 1", "w": "partition_grid {}"}


def write(case, dims, updater=ADAM, count=4):
    """Writes job.conf: dims has the divisions of conv1, relu1, pool1, ip1, drop and ip2, of the net
    with slices of rows: ip1, ip2, drop and ip3, or of the wide net: ip1 and ip2. `count`: workers."""
    divisions = dict(DIVISIONS, g=f"partition_grid {{ rows: 2 units: {count // 2} }}")
    conf = NETS[len(dims)]
    case.write("job.conf", conf.format(*(divisions[dim] for dim in dims), updater=updater))


def near(a, b, what, most=1e-5):
    """Fails if a param of two checkpoints differs by more than `most` of its largest value."""
    first, second = tensors(a / "model.safetensors"), tensors(b / "model.safetensors")
    equal(first.keys(), second.keys(), what)
    for name in first:
        equal(first[name][:2], second[name][:2], f"{what}: {name}")
        x, y = array.array("f", first[name][2]), array.array("f", second[name][2])
        largest = max(map(abs, x))
        far = max(abs(p - q) for p, q in zip(x, y))
        true(far <= most * largest, f"{what}: {name} differs by {far / largest:.1e} of its largest value")


def compare_with_one(case, cuts, updater=ADAM, counts=(2, 3)):
    """Trains by one worker, and divided in each of the ways `cuts` by several, twice each."""
    write(case, "0" * len(cuts[0]), updater)
    case.train("job.conf", *workers(1), workspace="one")
    for dims in cuts:
        for count in counts:
            write(case, dims, updater, count)
            runs = [f"{dims}-{count}-{run}" for run in range(2)]
            for run in runs:
                case.train("job.conf", *workers(count), workspace=run)
            same_bytes(case.newest(runs[0]), case.newest(runs[1]))
            near(case.newest("one"), case.newest(runs[0]), f"{count} workers, {dims}")
            equal(len(case.rows(runs[0])), len(case.rows("one")), "rows")
            for a, b in zip(case.rows("one"), case.rows(runs[0])):
                true(abs(a["loss"] - b["loss"]) < 1e-4, f"rows {a} and {b}")


def compare_with_threads(case, dims, updater=ADAM):
    """Trains by four threads, and in processes of all kinds to the same bytes."""
    write(case, dims, updater)
    case.train("job.conf", *workers(4), workspace="threads")
    tests = learned(case.rows("threads", "test"))
    for place, settings in PLACES.items():
        for count, each in ((4, 1), (2, 2)):
            case.train("job.conf", *processes(count, *settings, in_each=each), workspace=place)
            same_bytes(case.newest("threads"), case.newest(place))
            equal(learned(case.rows(place, "test")), tests, f"tests of {place}")


@check
def workers_that_divide_layers_by_units_train_the_net_of_one(case):
    for updater in (ADAM, MOMENTUM):
        compare_with_one(case, ("111111", "000101", "110010", "001100"), updater)


@check
def workers_that_divide_layers_by_grids_train_the_net_of_one(case):
    compare_with_one(case, ("gggggg", "wwwwww", "g01wg1", "1wg0wg"), counts=(4, 6))


@check
def workers_that_divide_slices_of_rows_by_grids_train_the_net_of_one(case):
    compare_with_one(case, ("gwgw", "wgg1"), MOMENTUM, counts=(4,))


@check
def workers_that_divide_wide_layers_train_the_net_of_one(case):
    compare_with_one(case, ("10", "11"), MOMENTUM)


@check
def wide_layers_have_the_same_bytes_in_processes(case):
    compare_with_threads(case, "10", MOMENTUM)


@check
def workers_that_divide_slices_of_rows_train_the_net_of_one(case):
    compare_with_one(case, ("0000", "1111", "0110"))


@check
def processes_that_divide_layers_by_units_compute_the_bytes_of_threads(case):
    for updater in (ADAM, MOMENTUM + " clip_norm: 0.5"):
        compare_with_threads(case, "110111", updater)


@check
def processes_that_divide_layers_by_grids_compute_the_bytes_of_threads(case):
    compare_with_threads(case, "g1wg0g")
    compare_with_threads(case, "wg1wgw", MOMENTUM + " clip_norm: 0.5")


@check
def processes_that_divide_slices_of_rows_compute_the_bytes_of_threads(case):
    compare_with_threads(case, "0110", MOMENTUM)


@check
def workers_that_divide_a_batch_write_the_file_of_one(case):
    write(case, "0110")
    layer = ('layer { name: "out" type: kCSVOutput srclayers: "data" srclayers: "data" '
             'store_conf { path: "rows.csv" } } }')
    case.write("job.conf", case.path("job.conf").read_text().rstrip()[:-1] + layer)
    file = case.path("rows.csv")
    case.train("job.conf", *workers(1))
    one = file.read_bytes()
    equal(one.count(b"\n"), 20 * 23, "records")
    for settings in (workers(3), *(processes(2, *place) for place in PLACES.values())):
        file.unlink()
        case.train("job.conf", *settings)
        true(file.read_bytes() == one, f"{settings}: other records than one worker's")


@check
def a_killed_job_goes_on_under_mixed_divisions(case):
    """SIGKILL ends the whole job: all threads, or the process that has started the others."""
    long = ("-set", "train_steps=800", "-set", "checkpoint_freq=50", "-set", "test_freq=0")
    for dims, settings, name in (("g01wg1", workers(4), "threads"),
                                 ("101001", processes(2, in_each=2), "processes")):
        write(case, dims)
        case.train("job.conf", *settings, *long, workspace=f"{name}-whole")
        job = case.start_job("job.conf", *settings, *long, workspace=name)
        job.wait_until(lambda: max(case.steps(name), default=0) >= 300, "step 300")
        job.kill()
        true(case.last_step(name) < 799, "the job was at its end")
        resumed = case.train("job.conf", *settings, *long, "-resume", workspace=name)
        has(resumed.err, "resumed from", "stderr")
        same_bytes(case.newest(f"{name}-whole"), case.newest(name))
        equal(learned(case.rows(name, "train")), learned(case.rows(f"{name}-whole", "train")), "rows")


@check
def a_lost_process_that_divides_layers_changes_nothing(case):
    lose_a_process(case, "111111", 1)


@check
def a_lost_process_that_divides_layers_by_grids_changes_nothing(case):
    lose_a_process(case, "g1wgg1", 2, ranks=(1,))


def lose_a_process(case, dims, in_each, ranks=(0, 1)):
    """Kills one of two processes of a job, of each of `ranks`, in processes of all kinds."""
    write(case, dims)
    long = ("-set", "train_steps=800", "-set", "checkpoint_freq=50", "-set", "test_freq=0")
    case.train("job.conf", *processes(2, in_each=in_each), *long, workspace="undisturbed")
    for place in ("shared", "spread"):
        for rank in ranks:
            lost = f"{place}{rank}"
            job = case.start_job("job.conf", *processes(2, *PLACES[place], in_each=in_each), *long,
                                 workspace=lost)
            disturbed(case, lost, job, rank, SIGKILL, 300)
            job.end(0)
            has(job.err, f"process {rank} was lost", "stderr")
            same_bytes(case.newest("undisturbed"), case.newest(lost))


@check
def groups_of_workers_that_divide_layers_learn(case):
    write(case, "111111")
    groups = ("-set", "cluster.nworker_groups=2", "-set", "cluster.nworkers_per_group=2",
              "-set", "train_steps=200", "-set", "test_freq=200")
    servers = ("-set", "cluster.nserver_groups=2", "-set", "cluster.nservers_per_group=2",
               "-set", "cluster.sync_freq=3")
    for each, place in ((4, ()), (1, ("-set", APART)), (2, ("-set", APART, *servers))):
        case.train("job.conf", *groups, "-set", f"cluster.nworkers_per_procs={each}", *place,
                   workspace="ws")
        loss = case.rows(phase="test")[-1]["loss"]
        true(loss < 1.7, f"{each} workers in each process: the loss of the test is {loss}, of guesses 1.8")


@check
def a_step_that_is_dropped_is_dropped_by_all_who_divide_layers(case):
    write(case, "111111", "type: kSGD learning_rate { type: kFixed base_lr: 1e30 }")
    skip = ("-set", "on_nonfinite=kSkip", "-set", "test_freq=0", "-set", "test_steps=0")
    for settings in (workers(2), processes(2), processes(2, *PLACES["spread"])):
        done = case.train("job.conf", *settings, *skip)
        has(done.err, "20 steps in", "the last line")
        has(done.err, "19 skipped", "the last line")


@check
def a_job_goes_on_under_another_division_of_its_layers(case):
    write(case, "110111")
    case.train("job.conf", *workers(3), workspace="whole")
    case.train("job.conf", *workers(3), "-set", "train_steps=9", workspace="cut")
    case.train("job.conf", *workers(3), "-resume", workspace="cut")
    same_bytes(case.newest("whole"), case.newest("cut"))
    equal(learned(case.rows("cut", "train")), learned(case.rows("whole", "train")), "rows of training")
    for dims, count in (("000000", 1), ("001001", 2), ("g1wgg0", 4)):
        name = f"other{count}"
        write(case, "110111")
        case.train("job.conf", *workers(3), "-set", "train_steps=9", workspace=name)
        write(case, dims)
        case.train("job.conf", *workers(count), "-resume", workspace=name)
        near(case.newest("whole"), case.newest(name), f"resumed by {count} workers")


@check
def a_partition_dim_without_effect_is_told(case):
    write(case, "000100")
    one = case.run("check", "job.conf", *workers(1))
    true("partition_dim" not in one.err, f"a warning for one worker:\n{one.err}")
    case.write("soft.conf", case.path("job.conf").read_text().replace(
        'kLRN srclayers: "pool1"', 'kLRN srclayers: "pool1" partition_dim: 1'))
    lrn = case.run("check", "soft.conf", *workers(2))
    has(lrn.err, "neuralnet.layer[norm1].partition_dim: has no effect: the layer is divided by rows",
        "a layer that cannot be divided by units")
    few = case.run("check", "job.conf", *workers(21), code=78)
    has(few.err, "neuralnet.layer[ip1].innerproduct_conf.num_output: must be >= 21, the number of "
                 "workers of the group that divide the units, is 20; with partition_dim: 0 they divide "
                 "rows instead", "more workers than units")
