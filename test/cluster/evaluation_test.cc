// Tests evaluations between the steps of a worker group. They run on the threads of all workers of
// the group, and compute the results of one worker.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>

#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "cluster/workers/worker_groups.h"
#include "singa/nn/layer.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

// The layer passes its input on, and notes the threads of the last test.
struct Seen {
  int threads = 0, vendor_threads = 0;
  bool alone = false;
};
Seen last_seen;

class NotesThreads final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    std::copy_n(in[0]->data.data(), in[0]->data.size(), out[0]->data.data());
    if (phase == kTest) last_seen = {ctx.threads, omp_get_max_threads(), ctx.group == nullptr};
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    if (!in[0]->grad.empty())
      std::copy_n(out[0]->grad.data(), in[0]->grad.size(), in[0]->grad.data());
  }
};
SINGA_REGISTER_LAYER(NotesThreads, NotesThreads);

// Batch normalisation adds up over the workers' rows in training, but over no other rows in a test.
JobProto Job(int workers) {
  JobProto job;
  const std::string text = StrCat(R"(
    test_steps: 0 test_freq: 1
    train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 8 shape: 12 mean_value: 127 std_value: 255
        synthetic_conf { records: 44 classes: 5 } } }
      layer { name: "noted" user_type: "NotesThreads" srclayers: "data" }
      layer { name: "fc" type: kInnerProduct srclayers: "noted" innerproduct_conf { num_output: 5 }
              param { name: "w" init { type: kUniformSqrtFanIn } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "norm" type: kBM srclayers: "fc" }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "norm" srclayers: "data" }
    }
    cluster { nworkers_per_group: )",
                                  workers, " }");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

// Returns the loss over the store after two steps. 44 records are no multiple of the batch.
double Tested(int workers, int threads) {
  const OmpThreads restored(omp_get_max_threads());
  WorkerGroups groups(Job(workers), threads);
  groups.Allocate();
  InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
  groups.Start(2);
  for (int64_t step = 0; step < 2; ++step) groups.team(0).TrainStep(step);
  last_seen = {};
  const auto sums = groups.lead().model().evaluator(kTest)->Run(0, [] { return false; });
  EXPECT_EQ(omp_get_max_threads(), threads);
  return sums->entries().at(0).value();
}

// Workers of other hosts count, too, so that metrics have the same bits wherever workers are. The
// number of threads is bounded by the machine's cores.
TEST(Evaluation, RunsOnTheThreadsOfAllWorkersThatTheMachineHasCoresFor) {
  const int cores = UsableCores();
  const int all = AllowedThreads(std::max(2, std::min(6, cores)));
  const double loss = Tested(3, 2);
  EXPECT_EQ(last_seen.threads, all);
  EXPECT_EQ(last_seen.vendor_threads, all);
  EXPECT_TRUE(last_seen.alone);
  const double of_one = Tested(1, 1);
  EXPECT_EQ(last_seen.threads, 1);
  EXPECT_NEAR(loss, of_one, 1e-5);
}

TEST(Evaluation, RunsOnTheCoresThatTheProcessMayRunOn) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  Tested(2, 1);
  EXPECT_EQ(last_seen.threads, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace singa
