// Tests jobs whose only group has GPUs that add up gradients among themselves. The GPUs are
// emulated and add in the order of the workers, so the results equal those of workers on the CPU.
#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"
#include "support/copying_layer.h"
#include "support/driver/device_job.h"
#include "support/heard_log.h"

namespace singa::device_job {
namespace {

constexpr char kGroup[] = "nworkers_per_group: 3 nworkers_per_procs: 3";

// Each GPU applies the updates itself, and replays its steps.
TEST_F(DeviceJob, OfAGroupOfGpusAddsUpAmongThem) {
  for (const UpdaterType type : {kSGD, kAdam, kAdamW}) {
    SCOPED_TRACE(UpdaterType_Name(type));
    JobProto job = Job(kGroup, false);
    job.mutable_updater()->set_type(type);
    job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
    const std::string on_cpu = Train(job, 0);
    const int64_t before = EmulatedGpu::replays_of_all();
    EXPECT_EQ(Train(job, 3), on_cpu);
    EXPECT_EQ(EmulatedGpu::replays_of_all() - before, 3 * 10);
    Train(job, 3, false, 6);
    EXPECT_EQ(Train(job, 3, true), on_cpu);
  }
}

TEST_F(DeviceJob, OfAGroupOfGpusSaysWhyTheyAddUp) {
  const auto said = [&](const std::string& all_reduce) {
    testing::internal::CaptureStderr();
    Train(StrCat(kGroup, " all_reduce { ", all_reduce, " }"), 3, false, 1);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(said("").find("gradients by NCCL (each worker has a GPU of its own)"),
            std::string::npos);
  EXPECT_NE(
      said("backend: kNccl compression: kFp16")
          .find("gradients by NCCL, compressed by kFp16 (cluster.all_reduce.backend is kNccl)"),
      std::string::npos);
}

// Each worker's sums continue after the resume, although it is in the middle of a row's steps.
TEST_F(DeviceJob, OfAGroupOfGpusThatIsResumedHasTheRowsOfOneThatWasNotStopped) {
  JobProto job = Job(kGroup, false);
  job.set_disp_freq(5);
  const auto rows = [&](int gpus) {  // of training, without times
    std::istringstream file(Bytes(dir_.Path(StrCat("ws", gpus, "/metrics.jsonl"))));
    std::vector<std::string> all;
    for (std::string row; std::getline(file, row);)
      if (const size_t begin = row.find("\"train\""); begin != std::string::npos)
        all.push_back(row.substr(begin, row.find("\"samples_per_second\"") - begin));
    return all;
  };
  Train(job, 3);
  const std::vector<std::string> whole = rows(3);
  EXPECT_EQ(whole.size(), 3u);  // of steps 0, 5 and 10
  Train(job, 3, false, 8);
  Train(job, 3, true);
  EXPECT_EQ(rows(3), whole);
  Train(job, 0);
  EXPECT_EQ(rows(0), whole);
}

// Between the pieces, sums of batch normalisation are added up.
TEST_F(DeviceJob, OfAGroupOfGpusAddsUpPiecesOfAnySize) {
  for (const bool normalised : {false, true}) {
    JobProto job = Job(kGroup, normalised);
    const std::string on_cpu = Train(job, 0);
    job.mutable_cluster()->mutable_all_reduce()->set_fusion_elements(1);
    EXPECT_EQ(Train(job, 3), on_cpu);
  }
}

// The share falls in steps 3, 6 and 9. The two steps from there are not replayed, as at the start.
TEST_F(DeviceJob, OfAGroupOfGpusThatWarmsUpIsCapturedForEachShare) {
  JobProto job = Job(kGroup, false);
  AllReduceProto* const conf = job.mutable_cluster()->mutable_all_reduce();
  conf->set_compression(AllReduceProto::kTopK);
  conf->set_sparsity(0.01f);
  conf->set_warmup_steps(12);
  const int64_t before = EmulatedGpu::replays_of_all();
  const std::string whole = Train(job, 3);
  EXPECT_EQ(EmulatedGpu::replays_of_all() - before, 3 * 4);
  Train(job, 3, false, 4);
  EXPECT_EQ(Train(job, 3, true), whole);
}

// All workers scale their losses alike, and skip the same steps. With a factor of 20 the gradient
// of a score is at most 20 / 12 times the losses' scale, which begins with 65536. In step 0 it
// exceeds 65504, the largest float16. After the scale was halved it cannot. The learning rate makes
// up for the factor, so weights stay small, and gradients of features do too.
TEST_F(DeviceJob, OfAGroupOfGpusInFloat16GoesOnWhereItEnded) {
  JobProto job = Job(kGroup, false);
  job.set_precision(JobProto::kFloat16);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_softmaxloss_conf()->set_scale(20);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.0025f);
  const HeardLog log;
  const std::string whole = Train(job, 3);
  EXPECT_TRUE(log.Has("losses are scaled by 32768 from now on"));
  EXPECT_FALSE(log.Has("losses are scaled by 16384 from now on"));
  Train(job, 3, false, 6);
  EXPECT_EQ(Train(job, 3, true), whole);
}

// The layer's sums over the group are part of the replayed work.
TEST_F(DeviceJob, OfAGroupOfGpusWithBatchNormalisationIsCapturedToo) {
  for (const char* group : {"nworkers_per_group: 2 nworkers_per_procs: 2", kGroup}) {
    SCOPED_TRACE(group);
    const int workers = group == kGroup ? 3 : 2;
    const std::string on_cpu = Train(group, 0);
    const int64_t before = EmulatedGpu::replays_of_all();
    EXPECT_EQ(Train(group, workers), on_cpu);
    EXPECT_EQ(EmulatedGpu::replays_of_all() - before, workers * 10);
  }
}

// If one worker's step cannot be captured, all workers continue without capture.
TEST_F(DeviceJob, OfAGroupOfGpusReplaysNoStepThatOneWorkerWaitsIn) {
  JobProto job = Job(kGroup, false);
  LayerProto* const relu = job.mutable_neuralnet()->mutable_layer(2);
  relu->clear_type();
  relu->set_user_type("WaitsInTheSecondWorker");
  job.mutable_cluster()->set_stall_timeout(20);  // ends the test if workers do different things
  const std::string on_cpu = Train(job, 0);
  const int64_t before = EmulatedGpu::replays_of_all();
  const HeardLog log;
  EXPECT_EQ(Train(job, 3), on_cpu);
  EXPECT_EQ(EmulatedGpu::replays_of_all(), before);
  EXPECT_TRUE(log.Has("slower: layer \"relu@1\": waits while work is captured"));
  EXPECT_TRUE(log.Has("slower: that of another worker of the group cannot"));
}

// The host makes the layer's sums, so no step is captured. A second, wider layer makes its sums in
// step 0, too.
TEST_F(DeviceJob, OfAGroupWhoseGpusCannotAddUpNormalisesThroughTheHost) {
  JobProto job = Job(kGroup);
  NetProto* const net = job.mutable_neuralnet();
  LayerProto* const wide = net->add_layer();
  *wide = net->layer(2);
  wide->set_name("bm2");
  wide->set_srclayers(0, "fc");
  *net->mutable_layer(5)->mutable_srclayers(0) = "bm2";
  net->mutable_layer(4)->mutable_innerproduct_conf()->set_num_output(9);
  const std::string on_cpu = Train(job, 0);
  machine_.SetGroups(false);
  EXPECT_EQ(Train(job, 3), on_cpu);
}

TEST_F(DeviceJob, OfAGroupWhoseGpusCannotAddUpGoesThroughTheHost) {
  const JobProto job = Job(kGroup, false);
  const std::string on_cpu = Train(job, 0);
  machine_.SetGroups(false);
  const int64_t before = EmulatedGpu::replays_of_all();
  EXPECT_EQ(Train(job, 3), on_cpu);
  EXPECT_EQ(EmulatedGpu::replays_of_all(), before);
}

// A bad value in one worker drops the step of all.
TEST_F(DeviceJob, OfAGroupOfGpusSkipsTheStepsOfTheCpu) {
  for (const bool normalised : {false, true}) {
    SCOPED_TRACE(normalised);
    JobProto job = Job(kGroup, normalised);
    job.set_on_nonfinite(JobProto::kSkip);
    LayerProto* const relu = job.mutable_neuralnet()->mutable_layer(normalised ? 3 : 2);
    relu->clear_type();
    relu->set_user_type("BadInTheSecondWorker");
    EXPECT_EQ(Train(job, 3), Train(job, 0));
  }
}

// The other workers do not wait for the failed worker's sums, not even those of batch
// normalisation.
TEST_F(DeviceJob, OfAGroupOfGpusEndsWithTheFirstWorkerThatFails) {
  for (const bool normalised : {false, true}) {
    SCOPED_TRACE(normalised);
    JobProto job = Job(kGroup, normalised);
    LayerProto* const data = job.mutable_neuralnet()->mutable_layer(0);
    data->clear_type();
    data->clear_store_conf();
    data->set_user_type("EndsInTheThirdWorker");
    job.set_test_freq(0);
    EXPECT_THROW(Train(job, 3), DataError);
  }
}

// BadInTheSecondWorker makes infinities in training.
class BadInTheSecondWorker final : public CopyingLayer {
 public:
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    if (worker() != 1 || !(phase & kTrain))
      return CopyingLayer::ComputeFeature(ctx, phase, in, out);
    RunInOrder(ctx, [y = out[0]->data.data(), n = in[0]->data.size()](Context&) {
      std::fill_n(y, n, std::numeric_limits<float>::infinity());
    });
  }
};
SINGA_REGISTER_LAYER(BadInTheSecondWorker, BadInTheSecondWorker);

class WaitsInTheSecondWorker final : public CopyingLayer {
 public:
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    CopyingLayer::ComputeFeature(ctx, phase, in, out);
    if (worker() == 1 && ctx.stream) ctx.stream->Wait();
  }
};
SINGA_REGISTER_LAYER(WaitsInTheSecondWorker, WaitsInTheSecondWorker);

// EndsInTheThirdWorker is an input of twelve rows of zeros. The third worker of the group has them
// for six steps only.
class EndsInTheThirdWorker : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    third_ = conf.partition_id() == 2;
    out[0]->span = {.first = 4 * conf.partition_id(), .rows = 4, .batch = 12};
    out[0]->data.SetShape({4, 1, 6, 6});
    out[0]->label.SetShape({4}, DType::kI32);
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs out) override {
    std::fill_n(out[0]->data.data(), out[0]->data.size(), 0.f);
    std::fill_n(out[0]->label.as<int32_t>(), 4, 1);
    if (third_ && steps_++ == 6) throw DataError("rows", 6, "there are no more");
  }

 private:
  bool third_ = false;
  int steps_ = 0;
};
SINGA_REGISTER_LAYER(EndsInTheThirdWorker, EndsInTheThirdWorker);

}  // namespace
}  // namespace singa::device_job
