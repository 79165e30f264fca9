"""Checks processes that each have the values and the updater: kPartial and kPowerSGD, by messages of the job."""
from signal import SIGKILL

from case import check, equal, has, same_bytes, true
from compression_checks import compressed, expect_exact_resume
from group_checks import LARGE, furthest
from job import ADAM, mlp
from process_checks import disturbed

SEVERAL = "fusion_elements=1000"  # two buckets: the first layer's weight, and all other params of `mlp`
MODES = {"kPowerSGD": ("rank=2",), "kPartial": (SEVERAL,)}


@check
def thin_matrices_are_a_small_part_of_the_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 101 disp_freq: 100", **LARGE))
    for name in ("kNone", "kPowerSGD"):
        case.train("job.conf", *compressed(name), workspace=name)
    sent = {name: case.rows(name, "train")[-1]["bytes_sent"] for name in ("kNone", "kPowerSGD")}
    share = sent["kPowerSGD"] / sent["kNone"]
    case.note = f"{share:.4f} of the bytes"
    true(share < 0.05, f"kPowerSGD sends {share:.4f} of all bytes")


@check
def matrices_that_are_not_thin_are_sent_as_they_are(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 20", updater=ADAM, **LARGE))
    case.train("job.conf", *compressed("kNone"), workspace="whole")
    case.train("job.conf", *compressed("kPowerSGD", "rank=10000"), workspace="dense")
    same_bytes(case.newest("dense"), case.newest("whole"))


@check
def means_of_all_values_in_each_step_are_the_whole_gradient(case):
    """Updates of SGD with momentum are linear in the gradients."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 20", **LARGE))
    case.train("job.conf", *compressed("kNone"), workspace="whole")
    case.train("job.conf", *compressed("kPartial", "fusion_elements=100000000"), workspace="means")
    worst = furthest(case.newest("whole"), case.newest("means"))
    case.note = f"{worst:.1e} off"
    true(worst < 1e-5, f"ends {worst} off")


@check
def values_and_residuals_of_each_process_are_resumed_to_the_same_bytes(case):
    for name, settings in MODES.items():
        expect_exact_resume(case, name, settings)


@check
def a_test_of_the_mean_leaves_the_values_of_each_process(case):
    """With kPartial rank 0 tests the mean of all processes' values, and goes on with its own."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", updater=ADAM))
    args = compressed("kPartial", SEVERAL)
    case.train("job.conf", *args, workspace="untested")
    case.train("job.conf", *args, "-set", "test_freq=7", "-set", "checkpoint_freq=7", workspace="tested")
    same_bytes(case.newest("tested"), case.newest("untested"))


@check
def a_lost_process_with_values_of_its_own_changes_nothing(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 1500 disp_freq: 5 checkpoint_freq: 50"))
    for rank, (name, settings) in enumerate(MODES.items()):
        args = compressed(name, *settings)
        case.train("job.conf", *args, workspace=f"undisturbed-{name}")
        job = case.start_job("job.conf", *args, workspace=name)
        disturbed(case, name, job, rank, SIGKILL, 300)
        job.end(0)
        has(job.err, f"process {rank} was lost", "stderr")
        same_bytes(case.newest(name), case.newest(f"undisturbed-{name}"))


@check
def a_job_with_partial_updates_resumes_with_another_number_of_processes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 40", batch=48))
    case.train("job.conf", *compressed("kPartial", SEVERAL), "-set", "train_steps=20")
    job = case.train("job.conf", *compressed("kPartial", SEVERAL), "-set", "cluster.nworkers_per_group=3", "-resume")
    has(job.err, "is not used: it is for another division of workers among processes", "stderr")
    equal(case.steps("ws")[-1], 40, "last step")


@check
def a_job_resumes_with_other_settings_of_thin_matrices(case):
    """Residuals fit any rank. Without error_feedback there are none."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 10", **LARGE))
    resumed = ("-set", "train_steps=20", "-resume")
    lost = "state of gradient compression"
    case.train("job.conf", *compressed("kPowerSGD", "rank=2"), workspace="rank")
    case.train("job.conf", *compressed("kPowerSGD", "error_feedback=false"), workspace="whole")
    case.train("job.conf", *compressed("kPowerSGD", "rank=2"), workspace="left")
    for workspace, settings in (("rank", ("rank=4",)), ("whole", ())):
        err = case.train("job.conf", *compressed("kPowerSGD", *settings), *resumed, workspace=workspace).err
        true(lost not in err, f"{workspace} lost state:\n{err}")
    err = case.train("job.conf", *compressed("kPowerSGD", "error_feedback=false"), *resumed, workspace="left").err
    equal(err.count(lost), 1, "warnings")
    has(err, "step10 is not used (residuals of kPowerSGD): cluster.all_reduce.error_feedback is now false", "stderr")


@check
def a_step_that_is_not_finite_is_left_out_in_all_processes(case):
    """A learning rate of 1e30 ends each run after its first step; kSkip leaves the rest out."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 6 disp_freq: 1"))
    huge = ("-set", "updater.learning_rate.base_lr=1e30")
    for name, settings in MODES.items():
        err = case.run("-conf", "job.conf", *compressed(name, *settings), *huge, code=79).err
        has(err, "is not finite", "stderr")
        job = case.train("job.conf", *compressed(name, *settings), *huge, "-set", "on_nonfinite=kSkip", workspace=name)
        has(job.err, "5 skipped", "stderr")


@check
def partial_updates_need_layers_divided_by_rows(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 2"))
    err = case.run("-conf", "job.conf", *compressed("kPartial"), "-set", "neuralnet.partition_dim=1", code=78).err
    has(err, "kPartial needs all layers divided by rows", "stderr")
    err = case.run("-conf", "job.conf", *compressed("kPartial"), "-set", "cluster.nworker_groups=2", code=78).err
    has(err, "kPartial needs one worker group", "stderr")
