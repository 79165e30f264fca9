// Tests jobs whose GPUs send each other less than whole gradients: the state that each worker keeps
// for that. The GPUs are emulated.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "singa/tensor/memory.h"
#include "support/copying_layer.h"
#include "support/driver/device_job.h"
#include "train/reduce/exchange_state.h"

namespace singa::device_job {
namespace {

JobProto JobThatSends(AllReduceProto::Compression compression) {
  JobProto job = Job("nworkers_per_group: 2 nworkers_per_procs: 2", false);
  job.mutable_cluster()->mutable_all_reduce()->set_compression(compression);
  job.mutable_cluster()->mutable_all_reduce()->set_fusion_elements(1);
  job.mutable_cluster()->mutable_all_reduce()->set_rank(1);  // "w" then travels as thin matrices
  return job;
}

class DeviceCompression : public DeviceJob,
                          public ::testing::WithParamInterface<AllReduceProto::Compression> {
 protected:
  // Returns the workers' state in the checkpoint of `steps` steps, by name.
  std::map<std::string, std::vector<float>> Kept(int steps) const {
    const SafetensorsFile file{
        MappedFile(dir_.Path(StrCat("ws2/checkpoint/step", steps, "/state.safetensors")))};
    std::map<std::string, std::vector<float>> kept;
    for (const StoredTensor& tensor : file.view().tensors())
      for (const std::string_view kind : {kCodecState, kLowRankState, kOwnValuesState})
        if (tensor.name.starts_with(StatePrefix(kind))) kept[tensor.name] = FloatsIn(tensor);
    return kept;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, DeviceCompression,
                         ::testing::Values(AllReduceProto::kTopK, AllReduceProto::kThreshold,
                                           AllReduceProto::kPowerSGD, AllReduceProto::kPartial),
                         [](const auto& way) {
                           return AllReduceProto::Compression_Name(way.param);
                         });

TEST_P(DeviceCompression, KeepsItsStateInAStepThatIsSkipped) {
  JobProto job = JobThatSends(GetParam());
  job.set_on_nonfinite(JobProto::kSkip);
  LayerProto* const relu = job.mutable_neuralnet()->mutable_layer(2);
  relu->clear_type();
  relu->set_user_type("BadInTheFourthStep");
  Train(job, 2, false, 3);
  const auto kept = Kept(3);
  EXPECT_FALSE(kept.empty());
  Train(job, 2, false, 4);
  EXPECT_EQ(Kept(4), kept);
  Train(job, 2, false, 5);
  EXPECT_NE(Kept(5), kept);
}

// At least the steps 0, 1, 2 and 4 overflow, since the loss has a factor of 100. Each of them
// halves the losses' scale.
TEST_P(DeviceCompression, InFloat16GoesOnWhereItEnded) {
  JobProto job = JobThatSends(GetParam());
  job.set_precision(JobProto::kFloat16);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_softmaxloss_conf()->set_scale(100);
  const std::string whole = Train(job, 2);
  for (const int steps : {2, 6}) {
    Train(job, 2, false, steps);
    EXPECT_EQ(Train(job, 2, true), whole);
  }
}

TEST_P(DeviceCompression, WithoutErrorFeedbackGoesOnWhereItEnded) {
  JobProto job = JobThatSends(GetParam());
  job.mutable_cluster()->mutable_all_reduce()->set_error_feedback(false);
  const std::string whole = Train(job, 2);
  Train(job, 2, false, 6);
  EXPECT_EQ(Train(job, 2, true), whole);
}

// BadInTheFourthStep makes infinities in the fourth step of the second worker.
class BadInTheFourthStep final : public CopyingLayer {
 public:
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    CopyingLayer::ComputeFeature(ctx, phase, in, out);
    if (worker() != 1 || !(phase & kTrain)) return;
    RunInOrder(
        ctx, [y = out[0]->data.data(), n = in[0]->data.size(), state = ctx.device_state](Context&) {
          if (state->step == 3) std::fill_n(y, n, std::numeric_limits<float>::infinity());
        });
  }
};
SINGA_REGISTER_LAYER(BadInTheFourthStep, BadInTheFourthStep);

}  // namespace
}  // namespace singa::device_job
