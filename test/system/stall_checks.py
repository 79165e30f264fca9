"""Checks a user's layers that stand still or take their time, in each topology, by a plugin."""
import os
import re
import time
from signal import SIGCONT, SIGSTOP

import case
from group_checks import workers
from job import ZERO, dense
from plugin_case import compiled, small
from process_checks import APART, children, processes

# The layer passes on its first source. The numbers of the second source choose an action for a row:
# stand still, in a feature or a gradient, once in all starts, or take half a second. The updater
# stands still in step 17.
SLOW = """
#include <fcntl.h>
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
    if (Has(in, 0.125f)) close(creat("hangs", 0600));
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
# The gradient of the layer's param comes in pieces, which several threads compute. HANG_THREAD in
# rows of the second source lets a thread other than the worker's own stand still in a piece. The
# worker's thread then takes its time with another piece.
PIECES = """
#include <unistd.h>
#include <algorithm>
#include <functional>
#include "singa/driver/plugin.h"
#include "singa/nn/layer.h"
SINGA_PLUGIN();
struct Pieces : singa::Layer {
  singa::Wiring wiring(const singa::LayerProto&) const override { return {.row_wise = true}; }
  singa::Traits traits() const override { return {.grad_reads_in = true}; }
  void Setup(const singa::LayerProto&, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 2);
    weight = declare.Param(0, {700, 800});
    declare.InPieces(weight);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    std::copy_n(in[0]->data.data(), in[0]->data.size(), out[0]->data.data());
  }
  void ComputeGradient(singa::Context& ctx, singa::Inputs in, singa::Outputs out) override {
    if (!in[0]->grad.empty())
      std::copy_n(out[0]->grad.data(), out[0]->grad.size(), in[0]->grad.data());
    const float* x = in[1]->data.data();
    const bool hangs = std::find(x, x + in[1]->data.size(), 0.625f) != x + in[1]->data.size();
    const auto rows = [hangs](singa::Context&, int64_t, int64_t n, float* piece) {
      while (hangs && gettid() != getpid()) pause();
      if (hangs) usleep(300000);
      std::fill_n(piece, n * 800, 0.f);
    };
    if (weight->sink)
      weight->sink->Consume(weight, std::ref(rows));
    else if (!weight->grad.empty())
      rows(ctx, 0, 700, weight->grad.data());
  }
  singa::Param* weight = nullptr;
};
SINGA_REGISTER_LAYER(Pieces, Pieces);
"""
# Each fsync takes a third of a second.
SLOW_DISK = '#include <unistd.h>\nextern "C" int fsync(int) { return usleep(350000), 0; }\n'
HANG, HANG_BACKWARD, HANG_ONCE, TAKE_TIME, HANG_THREAD = 0.125, 0.25, 0.375, 0.5, 0.625
BATCH, WORKERS, STEP = 4, 2, 17

TOPOLOGIES = {"threads": workers(WORKERS), "shared": processes(WORKERS),
              "apart": processes(WORKERS, APART)}


def data(phase, path):
    return f"""layer {{ name: "data" type: kCSVInput include: {phase}
    store_conf {{ path: "{path}" batchsize: {BATCH} shape: 4 }} }}"""


def conf(plugin, settings, layer="Slow", param=""):
    return f"""name: "slow" plugin: "./{plugin}" num_openblas_threads: 1
{settings}
train_one_batch {{ alg: kBP }}
updater {{ type: kSGD learning_rate {{ type: kFixed base_lr: 0.01 }} }}
neuralnet {{ {data("kTrain", "train.csv")} {data("kTest", "test.csv")} {dense("fc1", "data", 1, 3)}
  layer {{ name: "slow" user_type: "{layer}" srclayers: "fc1" srclayers: "data" {param} }}
  {dense("fc", "slow", 2, 3, ZERO)}
  layer {{ name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }} }}
cluster {{ workspace: "ws" max_restarts: 0 }}
"""


def records(one, name, numbers, count=400):
    """Writes a store. `numbers`: the numbers of some records, by their places."""
    one.write(name, "".join(f"{i % 3},{numbers.get(i, 1)},1,1,1\n" for i in range(count)))


def place(worker, step=STEP):
    """Returns the place of the worker's first record of a step."""
    return step * BATCH + worker * BATCH // WORKERS


def expect_named(job, who, where):
    job.end(171)
    named = (rf"error: .*{who} has stood still for (\d+\.\d) s "
             rf"{where}, step {STEP}; .*raise cluster.stall_timeout, 2 s")
    found = re.findall(named, job.err)
    case.true(len(found) == 1, f"stderr does not say once who stood still: {job.err}")
    case.equal(job.err.count("has stood still"), 1, f"namings in {job.err}")
    case.true(float(found[0]) >= 2, f"found after {found[0]} s")


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


def a_thread_that_hangs_in_a_piece_of_a_gradient_is_named(one):
    plugin = small(one, "pieces", PIECES)
    records(one, "test.csv", {})
    records(one, "train.csv", {place(1): HANG_THREAD})
    param = f'param {{ name: "wp" {ZERO} }}'
    job = one.start_job(conf(plugin, "train_steps: 100 disp_freq: 10", "Pieces", param),
                        *TOPOLOGIES["shared"], "-set", "num_openblas_threads=2",
                        "-set", "cluster.stall_timeout=2")
    expect_named(job, "worker 1 of group 0 in process 1", 'in the gradient of layer "slow"')


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
    settings = (*TOPOLOGIES["shared"], "-set", "cluster.stall_timeout=3",
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
    case.has(err, "error: the job stalled 2 times (last: exit code 171); the job gives up after "
                  "1 restart (cluster.max_restarts)", "stderr")


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


def stopped_for(jobs, seconds):
    """Stops all processes of the jobs at once, as a machine that is put to sleep does."""
    pids = [pid for job in jobs for pid in children(job).values()]
    case.equal(len(pids), WORKERS * len(jobs), "processes")
    for number in (SIGSTOP, SIGCONT):
        for pid in pids:
            os.kill(pid, number)
        if number == SIGSTOP:
            time.sleep(seconds)


def processes_that_were_stopped_for_longer_than_they_wait_go_on(one):
    plugin = small(one, "slow", SLOW)
    # The first process spends almost all of its time waiting for the second.
    records(one, "train.csv", {place(1, step): TAKE_TIME for step in range(8)})
    records(one, "test.csv", {})
    one.write("job.conf", conf(plugin, "train_steps: 8 disp_freq: 1"))
    jobs = [one.start_job("job.conf", *TOPOLOGIES[name], "-set", "cluster.stall_timeout=2",
                          "-set", "cluster.start_timeout=5", workspace=name)
            for name in ("shared", "apart")]
    for job, name in zip(jobs, ("shared", "apart")):
        job.wait_until(lambda name=name: one.last_step(name) >= 1, "step 1")
    stopped_for(jobs, 15)  # the longest wait is 13 s
    for job in jobs:
        job.end(0)


def a_process_whose_layer_hangs_ends_when_another_is_lost(one):
    """A launcher started two processes, and nobody else ends them. Layers have no time limit."""
    plugin = small(one, "slow", SLOW)
    records(one, "train.csv", {place(1): HANG})
    records(one, "test.csv", {})
    one.write("job.conf", conf(plugin, "train_steps: 100 disp_freq: 1"))
    for name in ("shared", "apart"):
        both = [launched(one, rank, *TOPOLOGIES[name], "-set", "cluster.stall_timeout=0",
                         "-set", "cluster.peer_timeout=3", "-set", f"cluster.workspace={name}")
                for rank in range(2)]
        both[1].wait_until(one.path("hangs").exists, "its layer hangs")
        one.path("hangs").unlink()
        both[0].kill()
        err = both[1].end(170).err
        case.true(re.search(r"error: process 0 \(.*\) was lost: .*; a thread of process 1 did not "
                            "come back for 8 s after that", err), f"stderr: {err}")


def launched(one, rank, *words):
    return one.start_program(["env", f"OMPI_COMM_WORLD_RANK={rank}", "OMPI_COMM_WORLD_SIZE=2",
                              "OMPI_COMM_WORLD_LOCAL_SIZE=2", "PMIX_NAMESPACE=stall",
                              str(one.site.binary), "-conf", "job.conf", *words])


def who_waits_to_hear_what_is_dropped_computes_nothing(one):
    plugin = small(one, "slow", SLOW)
    records(one, "train.csv", {place(1, step): TAKE_TIME for step in range(5)})
    records(one, "test.csv", {})
    one.train(conf(plugin, "train_steps: 5 disp_freq: 1 on_nonfinite: kSkip"),
              *TOPOLOGIES["apart"])
    rows = [row for row in one.rows(phase="process") if row["rank"] == 0 and row["step"] > 0]
    case.equal(len(rows), 4, "rows of the first process")
    waited, computed = (sum(row[name] for row in rows) for name in ("sync_wait_ms", "compute_ms"))
    # The other process takes 2 s and more; a busy machine may add to both.
    case.true(waited > computed, f"waited {waited} ms, computed {computed} ms")


CHECKS = [a_layer_that_hangs_is_named_in_every_topology,
          a_thread_that_hangs_in_a_piece_of_a_gradient_is_named, a_server_that_hangs_is_named,
          a_job_that_stalls_starts_again_so_often_as_it_may, what_takes_its_time_is_no_stall,
          processes_that_were_stopped_for_longer_than_they_wait_go_on,
          a_process_whose_layer_hangs_ends_when_another_is_lost,
          who_waits_to_hear_what_is_dropped_computes_nothing]
