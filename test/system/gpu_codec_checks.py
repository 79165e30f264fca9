"""Checks workers with GPUs of their own that send each other less than whole gradients. The GPUs are emulated by the CPU's
kernels (test/support/emulated_singa.cc), so they end with the bytes of workers on CPUs."""
from case import check, equal, has, learned, same_bytes, true
from gpu_group_checks import NORM, train, two
from group_checks import furthest, workers
from job import ADAM, FIVES, MOMENTUM, csv, dense, mlp
from process_checks import APART, job_that_overflows


def halves(*settings):
    return two("cluster.all_reduce.compression=kFp16", *settings)


LARGEST = {"kTopK": ("sparsity=0.05",), "kThreshold": ("threshold=0.002", "sparsity=1")}


def largest(name, *settings):
    return two(f"cluster.all_reduce.compression={name}",
               *(f"cluster.all_reduce.{setting}" for setting in LARGEST[name]), *settings)


@check
def gpus_that_send_float16_train_to_the_bytes_of_cpus_that_do(case):
    nets = {"sgd": {}, "adam": dict(updater=ADAM), "normalised": dict(layers=NORM, top="bn")}
    for name, net in nets.items():
        case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", batch=48, **net))
        for clip in ("0", "0.01"):
            settings = halves(APART, f"cluster.all_reduce.clip={clip}",
                              "cluster.all_reduce.fusion_elements=1000")
            train(case, *settings, workspace="cpus", gpus="")
            ended = train(case, *settings, workspace="gpus")
            has(ended.err, "gradients by NCCL, compressed by kFp16", "stderr")
            same_bytes(case.newest("gpus"), case.newest("cpus"))
        train(case, *workers(2), "-set", "cluster.all_reduce.compression=kFp16", "-set",
              "cluster.all_reduce.clip=0.01", workspace="threads")
        same_bytes(case.newest("threads"), case.newest("gpus"))
    train(case, *two(), workspace="whole")
    whole, rounded = ((case.newest(name) / "model.safetensors").read_bytes()
                      for name in ("whole", "gpus"))
    true(whole != rounded, "the gradients were not rounded")


@check
def gpus_that_send_float16_resume_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1 precision: kFloat16",
                               updater=ADAM))
    train(case, *halves())
    train(case, *halves(), "-set", "train_steps=15", workspace="half")
    train(case, "-resume", *halves(), workspace="half")
    same_bytes(case.newest("half"), case.newest())


@check
def gpus_that_send_float16_find_what_is_not_finite(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37))
    for settings in (halves(), halves("cluster.all_reduce.clip=0.5")):
        equal(train(case, *settings, code=79).err.count(" is not finite"), 1, "errors")
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    case.write("job.conf", csv("points.csv", "train_steps: 20 disp_freq: 1 on_nonfinite: kSkip", 2,
                               layers=dense("fc", "data", 1, 3)))
    train(case, *halves(APART), workspace="cpus", gpus="")
    has(train(case, *halves()).err, "; 1 skipped", "stderr")
    same_bytes(case.newest(), case.newest("cpus"))


@check
def gpus_that_send_the_largest_numbers_train_to_the_bytes_of_cpus_that_do(case):
    updaters = {"momentum": MOMENTUM, "clipped": MOMENTUM + " clip_norm: 0.5", "adam": ADAM}
    for name in LARGEST:
        for updater in updaters.values():
            case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", batch=48,
                                       updater=updater))
            for more in ((), ("cluster.all_reduce.local_clipping=false",),
                         ("cluster.all_reduce.error_feedback=false",)):
                train(case, *largest(name, APART, *more), workspace="cpus", gpus="")
                err = train(case, *largest(name, APART, *more), workspace="gpus").err
                has(err, f"gradients by NCCL, compressed by {name}", "stderr")
                same_bytes(case.newest("gpus"), case.newest("cpus"))
                norms = [[row.get("grad_norm") for row in case.rows(workspace, "train")]
                         for workspace in ("gpus", "cpus")]
                equal(norms[0], norms[1], "norms of gradients")
                equal(norms[0][0] is not None, "clip_norm" in updater, "whether norms are known")


@check
def gpus_that_send_the_largest_numbers_resume_to_the_same_bytes(case):
    for name in LARGEST:
        case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1"))
        train(case, *largest(name))
        for workspace, first in (("half", "0,1"), ("from-cpus", "")):
            train(case, *largest(name, APART), "-set", "train_steps=15", workspace=workspace,
                  gpus=first)
            train(case, "-resume", *largest(name), workspace=workspace)
            same_bytes(case.newest(workspace), case.newest())
    # Two workers of one process have states of their own.
    args = [*workers(2), "-set", "cluster.all_reduce.compression=kTopK"]
    train(case, *args, workspace="threads")
    train(case, *args, "-set", "train_steps=15", workspace="half-threads")
    train(case, "-resume", *args, workspace="half-threads")
    same_bytes(case.newest("half-threads"), case.newest("threads"))


@check
def gpus_that_warm_up_train_and_resume_to_the_bytes_of_cpus_that_do(case):
    """The share falls in steps 7, 14 and 21. A resume goes on within the warm-up."""
    case.write("job.conf", mlp(case.site.data, "train_steps: 35 disp_freq: 1"))
    args = two("cluster.all_reduce.compression=kTopK", "cluster.all_reduce.sparsity=0.01",
               "cluster.all_reduce.warmup_steps=28", APART)
    train(case, *args, workspace="cpus", gpus="")
    train(case, *args, workspace="gpus")
    same_bytes(case.newest("gpus"), case.newest("cpus"))
    for workspace, first in (("half", "0,1"), ("from-cpus", "")):
        train(case, *args, "-set", "train_steps=10", workspace=workspace, gpus=first)
        train(case, "-resume", *args, workspace=workspace)
        same_bytes(case.newest(workspace), case.newest("cpus"))
    train(case, *args, "-set", "cluster.all_reduce.warmup_steps=0", workspace="cold")
    warm, cold = ((case.newest(name) / "model.safetensors").read_bytes() for name in ("gpus", "cold"))
    true(warm != cold, "warmup_steps has no effect")


@check
def gpus_that_send_the_largest_numbers_keep_what_is_not_sent_of_a_step_that_is_skipped(case):
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37))
    equal(train(case, *largest("kTopK"), code=79).err.count(" is not finite"), 1, "errors")
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    case.write("job.conf", csv("points.csv", "train_steps: 20 disp_freq: 1 on_nonfinite: kSkip", 2,
                               layers=dense("fc", "data", 1, 3)))
    for name in LARGEST:
        train(case, *largest(name, APART), workspace="cpus", gpus="")
        has(train(case, *largest(name)).err, "; 1 skipped", "stderr")
        same_bytes(case.newest(), case.newest("cpus"))


def same_values(case, *workspaces):
    one, other = ((case.newest(name) / "model.safetensors").read_bytes() for name in workspaces)
    true(one == other, f"{workspaces} end with other values")


def averaged(*settings):
    """Two buckets: the first layer's weight, and all other params of `mlp`."""
    return two("cluster.all_reduce.compression=kPartial", "cluster.all_reduce.fusion_elements=1000",
               *settings)


@check
def gpus_that_send_thin_matrices_train_to_the_values_of_cpus_that_do(case):
    updaters = {"momentum": MOMENTUM, "clipped": MOMENTUM + " clip_norm: 0.5"}
    args = two("cluster.all_reduce.compression=kPowerSGD", APART)
    worst = 0
    for updater in updaters.values():
        case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", batch=48,
                                   updater=updater))
        for more in ((), ("-set", "cluster.all_reduce.error_feedback=false")):
            train(case, *args, *more, workspace="cpus", gpus="")
            err = train(case, *args, *more, workspace="gpus").err
            has(err, "gradients by NCCL, compressed by kPowerSGD", "stderr")
            worst = max(worst, furthest(case.newest("cpus"), case.newest("gpus")))
    case.note = f"{worst:.1e} off"
    true(worst < 1e-5, f"ends {worst} off")
    train(case, *two(), workspace="whole")
    true(furthest(case.newest("gpus"), case.newest("whole")) > 1e-3, "kPowerSGD has no effect")
    train(case, *two("cluster.all_reduce.compression=kPowerSGD", "cluster.all_reduce.rank=10000"),
          workspace="dense")
    same_values(case, "dense", "whole")


@check
def gpus_that_send_thin_matrices_resume_to_the_same_bytes(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1 precision: kFloat16"))
    args = two("cluster.all_reduce.compression=kPowerSGD", APART)
    train(case, *args)
    train(case, *args, "-set", "train_steps=13", workspace="half")
    train(case, "-resume", *args, workspace="half")
    same_bytes(case.newest("half"), case.newest())
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1"))
    train(case, *args, workspace="whole", gpus="")
    train(case, *args, "-set", "train_steps=13", workspace="from-cpus", gpus="")
    err = train(case, "-resume", *args, workspace="from-cpus").err
    true("begins anew" not in err, f"the state of processes on CPUs is lost:\n{err}")
    worst = furthest(case.newest("from-cpus"), case.newest("whole"))
    true(worst < 1e-5, f"ends {worst} off")
    # Two workers of one process have states of their own.
    args = [*workers(2), "-set", "cluster.all_reduce.compression=kPowerSGD"]
    train(case, *args, workspace="threads")
    train(case, *args, "-set", "train_steps=13", workspace="half-threads")
    train(case, "-resume", *args, workspace="half-threads")
    same_bytes(case.newest("half-threads"), case.newest("threads"))


@check
def gpus_that_average_values_train_and_resume_to_the_bytes_of_cpus_that_do(case):
    updaters = {"momentum": MOMENTUM, "clipped": MOMENTUM + " clip_norm: 0.5", "adam": ADAM}
    for updater in updaters.values():
        case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", batch=48,
                                   updater=updater))
        train(case, *averaged(APART), workspace="cpus", gpus="")
        train(case, *averaged(APART), workspace="gpus")
        same_bytes(case.newest("gpus"), case.newest("cpus"))
        norms = [[row.get("grad_norm") for row in case.rows(workspace, "train")]
                 for workspace in ("gpus", "cpus")]
        equal(norms[0], norms[1], "norms of gradients")
    for workspace, first in (("half", "0,1"), ("from-cpus", "")):
        train(case, *averaged(APART), "-set", "train_steps=13", workspace=workspace, gpus=first)
        train(case, "-resume", *averaged(APART), workspace=workspace)
        same_bytes(case.newest(workspace), case.newest("cpus"))
    # Two workers of one process have values of their own, too.
    args = [*workers(2), "-set", "cluster.all_reduce.compression=kPartial", "-set",
            "cluster.all_reduce.fusion_elements=1000"]
    train(case, *args, workspace="threads")
    same_values(case, "threads", "cpus")
    train(case, *args, "-set", "train_steps=13", workspace="half-threads")
    train(case, "-resume", *args, workspace="half-threads")
    same_bytes(case.newest("half-threads"), case.newest("threads"))


@check
def gpus_test_the_mean_of_their_values_and_go_on_with_their_own(case):
    case.write("job.conf", mlp(case.site.data, "train_steps: 30 disp_freq: 1", updater=ADAM))
    often = ("-set", "test_freq=7", "-set", "checkpoint_freq=7")
    for args in (averaged(APART), [*workers(2), "-set", "cluster.all_reduce.compression=kPartial",
                                   "-set", "cluster.all_reduce.fusion_elements=1000"]):
        train(case, *args, workspace="untested")
        train(case, *args, *often, workspace="tested")
        same_bytes(case.newest("tested"), case.newest("untested"))
    train(case, *averaged(APART), *often, workspace="cpus", gpus="")
    equal(learned(case.rows("tested", "test")), learned(case.rows("cpus", "test")), "tests")


@check
def gpus_with_values_or_bases_of_their_own_leave_out_the_same_steps(case):
    case.write("points.csv", "0,3e38,3e38,3e38,3e38\n" + "1,1,1,1,1\n2,2,1,1,1\n0,1,2,1,1\n" * 9)
    case.write("job.conf", csv("points.csv", "train_steps: 20 disp_freq: 1 on_nonfinite: kSkip", 2,
                               layers=dense("fc", "data", 1, 3)))
    thin = two("cluster.all_reduce.compression=kPowerSGD", APART)
    for args in (averaged(APART), thin):
        train(case, *args, workspace="cpus", gpus="")
        has(train(case, *args).err, "; 1 skipped", "stderr")
        same_values(case, "ws", "cpus")
    case.write("points.csv", "0,900,1,1,1\n1,1,800,1,1\n2,1,1,700,1\n")
    case.write("job.conf", csv("points.csv", "train_steps: 50 disp_freq: 1", 3, lr=1e37))
    for args in (averaged(), thin):
        equal(train(case, *args, code=79).err.count(" is not finite"), 1, "errors")


@check
def gpus_name_the_worker_whose_gradient_is_not_finite(case):
    """The first steps are not captured. In the sixth the sums begin beside the backward pass."""
    for step in (0, 5):
        case.write("job.conf", job_that_overflows(case, before=step))
        says = f'step {step}: the gradient of param "w1" of layer "hidden" is not finite, at worker 1'
        for name in ("kNone", "kFp16", *LARGEST, "kPowerSGD", "kPartial"):
            compression = f"cluster.all_reduce.compression={name}"
            for args, where in (([*workers(2), "-set", compression], ""), (two(compression), ", in process 1")):
                err = train(case, *args, code=79).err
                has(err, says + where, f"stderr with {name}")
                equal(err.count(" is not finite"), 1, f"errors with {name}")
                has(train(case, *args, "-set", "on_nonfinite=kSkip").err, says + where + "; the step is skipped",
                    f"stderr with {name} and kSkip")


@check
def gpus_name_the_worker_whose_loss_or_part_of_a_layer_is_not_finite(case):
    case.write("points.csv", "0,1,1,0,0\n0,3.4e38,3.4e38,0,0\n")
    case.write("job.conf", csv("points.csv", "train_steps: 2 disp_freq: 1", 2, layers=dense("fc", "data", 1, 3, FIVES)))
    has(train(case, *two(), code=79).err, 'step 0: the loss of layer "loss" is not finite, at worker 1, in process 1',
        "stderr")
    # The other layer is divided. In the sixth step the sums of w1 begin beside the backward pass.
    case.write("job.conf", job_that_overflows(case, before=5).replace(
        'type: kInnerProduct srclayers: "hidden"', 'type: kInnerProduct partition_dim: 1 srclayers: "hidden"'))
    has(train(case, *workers(2), "-set", "cluster.all_reduce.fusion_elements=1", code=79).err,
        'step 5: the gradient of param "w1" of layer "hidden" is not finite, at worker 1', "stderr")
    # Each worker has a half of the units, and the gradients of its rows.
    case.write("job.conf", job_that_overflows(case).replace('type: kInnerProduct srclayers: "data"',
                                                            'type: kInnerProduct partition_dim: 1 srclayers: "data"'))
    has(train(case, *workers(2), code=79).err,
        'the gradient of param "w1" of layer "hidden" is not finite, at worker ', "stderr")
