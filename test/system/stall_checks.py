"""Layers of a user's that stand still or take their time, in each topology, by a plugin."""
import re

import case
from group_checks import workers
from job import ZERO, dense
from plugin_case import compiled, small
from process_checks import APART, processes

# What the layer passes on, it takes from its first source. The numbers of the second say what it
# does with a row: stand still, in a feature or a gradient, once in all starts, or take half a
# second. The updater stands still in step 17.
SLOW = """
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include "singa/driver/plugin.h"
#include "singa/nn/layer.h"
#include "singa/train/updater.h"
SINGA_PLUGIN();
struct Slow : singa::Layer {
  singa::Wiring wiring(const singa::LayerProto&) const override { return {.row_wise = true}; }
  singa::Traits traits() const override { return {.grad_reads_in = true}; }
  void Setup(const singa::LayerProto&, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 2);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  static bool Has(singa::Inputs in, float number) {
    const float* x = in[1]->data.data();
    return std::find(x, x + in[1]->data.size(), number) != x + in[1]->data.size();
  }
  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    while (Has(in, 0.125f)) pause();
    while (Has(in, 0.375f) && std::remove("once") == 0) pause();
    if (Has(in, 0.5f)) usleep(500000);
    std::copy_n(in[0]->data.data(), in[0]->data.size(), out[0]->data.data());
  }
  void ComputeGradient(singa::Context&, singa::Inputs in, singa::Outputs out) override {
    while (Has(in, 0.25f)) pause();
    if (in[0]->grad.empty()) return;
    std::copy_n(out[0]->grad.data(), out[0]->grad.size(), in[0]->grad.data());
  }
};
SINGA_REGISTER_LAYER(Slow, Slow);
struct Stuck : singa::Updater {
  void Update(singa::Context&, const singa::UpdateStep& step, float*, const float*,
              std::span<float* const>, int64_t) override {
    while (step.count == 18) pause();
  }
};
SINGA_REGISTER_UPDATER(Stuck, Stuck);
"""
# Each time that a file is brought to the disk takes a third of a second.
SLOW_DISK = '#include <unistd.h>\nextern "C" int fsync(int) { return usleep(350000), 0; }\n'
HANG, HANG_BACKWARD, HANG_ONCE, TAKE_TIME = 0.125, 0.25, 0.375, 0.5
BATCH, WORKERS, STEP = 4, 2, 17

TOPOLOGIES = {"threads": workers(WORKERS), "shared": processes(WORKERS),
              "apart": processes(WORKERS, APART)}


def data(phase, path):
    return f"""layer {{ name: "data" type: kCSVInput include: {phase}
    store_conf {{ path: "{path}" batchsize: {BATCH} shape: 4 }} }}"""


def conf(plugin, settings):
    return f"""name: "slow" plugin: "./{plugin}" num_openblas_threads: 1
{settings}
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{ {data("kTrain", "train.csv")} {data("kTest", "test.csv")} {dense("fc1", "data", 1, 3)}
  layer {{ name: "slow" user_type: "Slow" srclayers: "fc1" srclayers: "data" }}
  {dense("fc", "slow", 2, 3, ZERO)}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }} }}
cluster {{ workspace: "ws" max_restarts: 0 }}
"""


def records(one, name, numbers, count=400):
    """`numbers`: of records by their places."""
    one.write(name, "".join(f"{i % 3},{numbers.get(i, 1)},1,1,1\n" for i in range(count)))


def place(worker, step=STEP):
    """Of the worker's first record of a step."""
    return step * BATCH + worker * BATCH // WORKERS


def expect_named(job, who, where):
    job.end(171)
    named = (rf"error: .*{who} has stood still for (\d+\.\d) s "
             rf"{where}, step {STEP}; .*raise cluster.stall_timeout, 2 s")
    found = re.findall(named, job.err)
    case.true(len(found) == 1, f"stderr does not say once who stood still: {job.err}")
    case.equal(job.err.count("has stood still"), 1, f"namings in {job.err}")
    case.true(2 <= float(found[0]) < 4, f"found after {found[0]} s")


def a_layer_that_hangs_is_named_in_every_topology(one):
    plugin = small(one, "slow", SLOW)
    records(one, "test.csv", {})
    for worker, number, where in ((1, HANG, 'in layer "slow"'),
                                  (0, HANG_BACKWARD, 'in the gradient of layer "slow"')):
        records(one, "train.csv", {place(worker): number})
        one.write("job.conf", conf(plugin, "train_steps: 100 disp_freq: 10"))
        jobs = {name: one.start_job("job.conf", *args, "-set", "cluster.stall_timeout=2",
                                    workspace=f"{name}{worker}")
                for name, args in TOPOLOGIES.items()}
        for name, job in jobs.items():
            process = "" if name == "threads" else f" in process {worker}"
            expect_named(job, f"worker {worker} of group 0{process}", where)


def a_server_that_hangs_is_named(one):
    plugin = small(one, "slow", SLOW)
    records(one, "train.csv", {})
    records(one, "test.csv", {})
    job = one.start_job(conf(plugin, "train_steps: 100 disp_freq: 10"), *TOPOLOGIES["apart"],
                        "-set", "cluster.stall_timeout=2", "-set", "updater.user_type=Stuck")
    expect_named(job, "server 0 of group 0 in process 0", "handling a message")


def a_job_that_stalls_starts_again_so_often_as_it_may(one):
    plugin = small(one, "slow", SLOW)
    records(one, "test.csv", {})
    one.write("job.conf", conf(plugin, "train_steps: 50 disp_freq: 10 checkpoint_freq: 10"))
    settings = (*TOPOLOGIES["shared"], "-set", "cluster.stall_timeout=1",
                "-set", "cluster.max_restarts=1")
    records(one, "train.csv", {place(1): HANG_ONCE})
    one.write("once", "")
    err = one.train("job.conf", *settings).err
    case.has(err, "warning: the job stalled (exit code 171); all go on from the last checkpoint "
                  "(restart 1 of 1)", "stderr")
    case.has(err, "resumed from ws/checkpoint/step10 ", "stderr")
    records(one, "train.csv", {place(1): HANG})
    err = one.train("job.conf", *settings, code=171).err
    case.equal(err.count("has stood still"), 2, "namings")
    case.has(err, "error: the job stalled 2 times (exit code 171 in the end), with 1 restart "
                  "(cluster.max_restarts)", "stderr")


def what_takes_its_time_is_no_stall(one):
    plugin, disk = small(one, "slow", SLOW), compiled(one, "disk.so", SLOW_DISK, "-shared", "-fPIC")
    records(one, "train.csv", {place(1, step): TAKE_TIME for step in range(5)})
    # The test takes three seconds, a checkpoint some more.
    records(one, "test.csv", {i * BATCH: TAKE_TIME for i in range(6)}, 6 * BATCH)
    one.write("job.conf", conf(plugin, "train_steps: 5 disp_freq: 1 test_steps: 6"))
    jobs = [one.start_program(["env", f"LD_PRELOAD={one.path(disk)}", str(one.site.binary), "-conf",
                               "job.conf", *args, "-set", f"cluster.workspace={name}",
                               "-set", "cluster.stall_timeout=2"])
            for name, args in TOPOLOGIES.items()]
    for job in jobs:
        job.end(0)
        case.has(job.err, "checkpoint committed", "stderr")
        case.true("stall" not in job.err, f"a stall in {job.err}")


CHECKS = [a_layer_that_hangs_is_named_in_every_topology, a_server_that_hangs_is_named,
          a_job_that_stalls_starts_again_so_often_as_it_may, what_takes_its_time_is_no_stall]
