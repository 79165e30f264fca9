"""Checks processes that send servers less than whole gradients (cluster.all_reduce)."""
import re
from signal import SIGKILL

from case import check, equal, has, learned, same_bytes, true
from group_checks import LARGE, furthest
from job import ADAM, MOMENTUM, ZERO, csv, dense, mlp
from process_checks import APART, disturbed, processes

# The least and the most that 2 processes send of the bytes of kNone, which sends gradients to servers, and new values
# back. With kTopK a sum has the numbers that at least one of the 2 gradients has.
SHARES = {"kNone": (1, 1), "kFp16": (0.475, 0.525), "kTopK": (0.012, 0.022), "kThreshold": (0, 0.005)}


def compressed(compression, *settings):
    return processes(2, APART, f"cluster.all_reduce.compression={compression}",
                     *(f"cluster.all_reduce.{setting}" for setting in settings))


@check
def all_floats_of_the_largest_are_the_whole_gradient(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20", updater=ADAM, **LARGE))
    case.train("job.conf", *compressed("kNone"), workspace="whole")
    case.train("job.conf", *compressed("kTopK", "sparsity=1"), workspace="all")
    case.train("job.conf", *compressed("kThreshold", "threshold=1e-30", "local_clipping=false"),
               workspace="above")
    for name in ("all", "above"):
        path = case.newest(name) / "model.safetensors"
        true(path.read_bytes() == (case.newest("whole") / "model.safetensors").read_bytes(),
             f"{name} differs from whole gradients")


@check
def a_threshold_of_zero_sends_whole_gradients(case):
    """Also with momentum and clipping, which the updater then has."""
    for updater in (MOMENTUM + " clip_norm: 0.5", ADAM):
        case.write("job.conf", mlp(case.site.data, "train_steps: 20", updater=updater, **LARGE))
        case.train("job.conf", *compressed("kNone"), workspace="whole")
        case.train("job.conf", *compressed("kThreshold", "threshold=0"), workspace="all")
        one, other = ((case.newest(name) / "model.safetensors").read_bytes() for name in ("whole", "all"))
        true(one == other, f"threshold: 0 differs from whole gradients with {updater}")


@check
def nothing_is_left_out_of_params_that_one_worker_has(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20", updater=ADAM, **LARGE))
    differs = {}
    for units in (0, 1):
        settings = ("-set", f"neuralnet.partition_dim={units}")
        case.train("job.conf", *compressed("kNone"), *settings, workspace=f"whole{units}")
        case.train("job.conf", *compressed("kTopK", "sparsity=0.01", "local_clipping=false"), *settings,
                   workspace=f"sparse{units}")
        whole, sparse = (case.newest(name + str(units)) / "model.safetensors" for name in ("whole", "sparse"))
        differs[units] = whole.read_bytes() != sparse.read_bytes()
    equal(differs, {0: True, 1: False}, "whether kTopK differs, by rows and by units")


@check
def halves_of_gradients_train_nearly_the_same(case):
    """Each of 5 gradients is rounded to 11 bits, and its sum, too. In more steps a ReLU may pass what it did not."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 5", **LARGE))
    case.train("job.conf", *compressed("kNone"), workspace="whole")
    case.train("job.conf", *compressed("kFp16"), workspace="halves")
    worst = furthest(case.newest("whole"), case.newest("halves"))
    case.note = f"{worst:.1e} off"
    true(0 < worst < 2 * 5 * 2 ** -11, f"float16 ends {worst} off float32")


@check
def compressed_gradients_are_fewer_bytes(case):
    """One row counts the bytes of 100 steps: gradients to servers, and sums or values back."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 101 disp_freq: 100", **LARGE))
    settings = {"kTopK": ("sparsity=0.01",), "kThreshold": ("threshold=1e9",)}
    sent = {}
    for name in SHARES:
        job = case.train("job.conf", *compressed(name, *settings.get(name, ())), workspace=name)
        true("all_reduce.compression: warning: has" not in job.err, f"a warning:\n{job.err}")
        sent[name] = case.rows(name, "train")[-1]["bytes_sent"]
    for name, (least, most) in SHARES.items():
        share = sent[name] / sent["kNone"]
        case.note += f"{name} {share:.4f}; "
        true(least <= share <= most, f"{name} sends {share:.4f} of all bytes, not {least} to {most}")


@check
def a_compression_that_does_not_pay_says_so_after_200_steps(case):
    """kTopK sends nearly all numbers here: it saves no bytes, and takes the time to choose them."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 241 disp_freq: 40", **LARGE))
    says = "is slower than whole gradients here: a step spends "
    for name, settings, slower in (("kTopK", ("sparsity=0.9",), True), ("kNone", (), False)):
        job = case.train("job.conf", *compressed(name, *settings), workspace=name)
        equal(job.err.count(says), int(slower), f"advice about {name}:\n{job.err}")
        true(not slower or f"{name} {says}" in job.err, f"another mode is named:\n{job.err}")


def expect_exact_resume(case, name, settings):
    """Expects that a job with this compression, stopped at step 13 and resumed, ends with the bytes of an undisturbed
    one."""
    args = compressed(name, *settings)
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", updater=ADAM))
    case.train("job.conf", *args, workspace=f"whole-{name}")
    case.train("job.conf", *args, "-set", "train_steps=13", workspace=name)
    case.train("job.conf", *args, "-resume", workspace=name)
    same_bytes(case.newest(name), case.newest(f"whole-{name}"))
    equal(learned(case.rows(name, "train")), learned(case.rows(f"whole-{name}", "train")), "rows")


@check
def what_was_not_sent_is_resumed_to_the_same_bytes(case):
    for name, settings in (("kTopK", ("sparsity=0.02",)), ("kThreshold", ("threshold=0.001",))):
        expect_exact_resume(case, name, settings)


@check
def momentum_is_corrected_warmed_up_and_resumed_to_the_same_bytes(case):
    """The updater of `mlp` is SGD with momentum."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 110 disp_freq: 1"))
    args = compressed("kTopK", "sparsity=0.02", "warmup_steps=80")
    case.train("job.conf", *args, workspace="whole")
    case.train("job.conf", *args, "-set", "train_steps=33", workspace="two")
    case.train("job.conf", *args, "-resume", workspace="two")
    same_bytes(case.newest("two"), case.newest("whole"))
    sent = [row["bytes_sent"] for row in case.rows("whole", "train")]  # some of a step's in the next row
    quarter, sixteenth, last = (sum(sent[i:i + 20]) for i in (1, 20, 90))
    true(quarter > 2.5 * sixteenth > 5 * last, f"bytes of the warm-up: {quarter}, {sixteenth}, {last}")
    case.train("job.conf", *compressed("kTopK", "sparsity=0.02", "momentum_correction=false"), workspace="late")
    true(furthest(case.newest("late"), case.newest("whole")) > 1e-3, "momentum_correction has no effect")


@check
def each_process_clips_its_own_gradient_and_resumes_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1"))
    ends = {}
    for name, settings in (("own", ()), ("sum", ("local_clipping=false",))):
        args = (*compressed("kTopK", "sparsity=0.02", *settings), "-set", "updater.clip_norm=0.2")
        case.train("job.conf", *args, workspace=f"whole-{name}")
        case.train("job.conf", *args, "-set", "train_steps=13", workspace=name)
        case.train("job.conf", *args, "-resume", workspace=name)
        same_bytes(case.newest(name), case.newest(f"whole-{name}"))
        norms = [row["grad_norm"] for row in case.rows(name, "train")]
        true(max(norms) > 0.2, f"clip_norm has no effect: {norms}")
        ends[name] = case.newest(name)
    true(furthest(ends["own"], ends["sum"]) > 1e-3, "local_clipping has no effect")


@check
def parts_of_several_workers_are_clipped_and_resumed_to_the_same_bytes(case):
    """Each process has two workers. They divide layers by rows, or by units."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1"))
    ends = []
    for units in (0, 1):
        args = (*processes(2, APART, "cluster.all_reduce.compression=kThreshold", "cluster.all_reduce.threshold=0.001",
                           in_each=2), "-set", "updater.clip_norm=0.2", "-set", f"neuralnet.partition_dim={units}")
        case.train("job.conf", *args, workspace=f"whole{units}")
        case.train("job.conf", *args, "-set", "train_steps=7", workspace=f"parts{units}")
        case.train("job.conf", *args, "-resume", workspace=f"parts{units}")
        ends.append(case.newest(f"parts{units}"))
        same_bytes(ends[-1], case.newest(f"whole{units}"))
    true(furthest(*ends) > 1e-4, "the division does not change what a process clips")


@check
def one_process_clips_its_gradient_as_its_server_would(case):
    """A process with a worker sends all numbers to a process with a server."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 20 disp_freq: 1", updater=ADAM))
    for name in ("true", "false"):
        case.train("job.conf", "-set", "cluster.server_worker_separate=true", "-set", "updater.clip_norm=0.2",
                   "-set", "cluster.all_reduce.compression=kThreshold", "-set", "cluster.all_reduce.threshold=1e-30",
                   "-set", f"cluster.all_reduce.local_clipping={name}", workspace=name)
    worst = furthest(case.newest("true"), case.newest("false"))
    norms = [[row["grad_norm"] for row in case.rows(name, "train")] for name in ("true", "false")]
    true(max(norms[0]) > 0.2, f"clip_norm has no effect: {norms[0]}")
    true(max(abs(a - b) for a, b in zip(*norms)) < 1e-5, f"other norms: {norms}")
    true(worst < 1e-5, f"ends {worst} off")


@check
def a_clipped_gradient_that_is_not_finite_is_found(case):
    """A learning rate of 1e30 ends each run after its first step; kSkip leaves the rest out."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 6 disp_freq: 1"))
    args = (*compressed("kTopK", "sparsity=0.02"), "-set", "updater.clip_norm=0.2",
            "-set", "updater.learning_rate.base_lr=1e30")
    has(case.run("-conf", "job.conf", *args, code=79).err, "is not finite", "stderr")
    has(case.train("job.conf", *args, "-set", "on_nonfinite=kSkip").err, "5 skipped", "stderr")


@check
def a_gradient_that_is_not_finite_is_reported_with_its_process_and_layer(case):
    """The last record is process 1's. Only the gradient overflows: all scores are 0."""
    case.write("points.csv", "0,1,1,1,1\n1,1,2,1,1\n2,1,1,1,1\n0,3e38,1,1,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 5", 4, layers=dense("fc", "data", 1, 3, ZERO)))
    for name in (*SHARES, "kPowerSGD", "kPartial"):
        err = case.run("-conf", "job.conf", *compressed(name), "-set",
                       "neuralnet.layer[loss].softmaxloss_conf.scale=100", code=79).err
        says = r'process 1 \(.*\) has ended: step 0: the gradient of param "w1" of layer "fc" is not finite'
        true(re.search(says, err), f"stderr of {name}:\n{err}")


@check
def state_of_workers_that_are_gone_is_dropped_with_a_warning(case):
    """Of four processes with a worker each, one is gone, or each has two workers now."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 10"))
    says = "such as residuals, is not used: it is for another division of workers among processes"
    for name in ("kTopK", "kPowerSGD", "kPartial"):
        settings = (APART, f"cluster.all_reduce.compression={name}")
        for others, lost in ((processes(3, *settings), 1), (processes(2, *settings, in_each=2), 1),
                             (processes(4, *settings), 0)):
            case.train("job.conf", *processes(4, *settings))
            err = case.train("job.conf", *others, "-resume", "-set", "train_steps=20").err
            equal(err.count(says), lost, f"warnings of {name}:\n{err}")
            equal(case.steps()[-1], 20, "last step")


@check
def a_resumed_job_says_what_becomes_of_the_momentum(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 10"))
    sparse = compressed("kTopK", "sparsity=0.02")
    more = ("-resume", "-set", "train_steps=20")
    case.train("job.conf", *compressed("kNone"), workspace="whole")
    has(case.train("job.conf", *sparse, *more, workspace="whole").err,
        "the updater's states in whole/checkpoint/step10 are not used (momentum): each process begins a "
        "momentum of its own at 0, as cluster.all_reduce.momentum_correction says", "stderr of kTopK after kNone")
    case.train("job.conf", *sparse, workspace="sparse")
    taken = "the updater's momentum is made of the momentum that each process has in sparse/checkpoint/step10"
    for name, settings in (("threads", processes(1, in_each=2)), ("alone", ()), ("whole", compressed("kNone")),
                           ("late", compressed("kTopK", "momentum_correction=false"))):
        case.train("job.conf", *sparse, workspace=name)
        has(case.train("job.conf", *settings, *more, workspace=name).err, taken.replace("sparse", name), name)
    err = case.train("job.conf", *processes(1, in_each=2), *more, "-set", "neuralnet.partition_dim=1", workspace="sparse", code=78).err
    has(err, "cluster.all_reduce", "stderr of a job that divides layers in another way")
    has(err, "sparse/checkpoint/step10: in it each process has a momentum of its own", "the error")


@check
def the_momentum_of_processes_goes_on_in_one_process(case):
    """The processes send all numbers, and keep the momentum alone. Weight decay would have no momentum there."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 30", updater=MOMENTUM.replace("0.001", "0")))
    case.train("job.conf", workspace="whole")
    case.train("job.conf", *compressed("kThreshold", "threshold=1e-30"), "-set", "train_steps=20", workspace="alone")
    case.train("job.conf", "-resume", workspace="alone")
    worst = furthest(case.newest("whole"), case.newest("alone"))
    case.note = f"{worst:.1e} off"
    true(worst < 1e-5, f"ends {worst} off a job whose updater had the momentum")


@check
def a_lost_process_that_sends_less_changes_nothing(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 1500 disp_freq: 5 checkpoint_freq: 50"))
    args = compressed("kTopK", "sparsity=0.05")
    case.train("job.conf", *args, workspace="undisturbed")
    for rank in (0, 1):
        lost = f"lost{rank}"
        job = case.start_job("job.conf", *args, workspace=lost)
        disturbed(case, lost, job, rank, SIGKILL, 300)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        same_bytes(case.newest(lost), case.newest("undisturbed"))
