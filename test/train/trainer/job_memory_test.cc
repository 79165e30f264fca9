// Tests that a job takes as much of a GPU's memory as `singa check` says before any is allocated.
#include "train/trainer/job_memory.h"

#include <gtest/gtest.h>

#include "singa/tensor/stream.h"
#include "support/device_training.h"
#include "support/proof_layers.h"

namespace singa::device_trainer {
namespace {

SINGA_REGISTER_LAYER(TwoOnTheHost, TestTwo);

class GpuMemory : public DeviceTrainer {
 protected:
  // This bounds the uncounted memory: numbers of a step, and pages that are not full. It is half of
  // the least counted memory.
  static constexpr int64_t kSmall = EmulatedStream::kWorkspaceBytes / 2;

  static std::string Wide(const std::string& name, const std::string& more) {
    return StrCat("layer { name: '", name, "' type: kInnerProduct ", more, Params(name), " }");
  }
  // Returns a job with a layer of half a megabyte that only tests use. `between`: a layer below the
  // loss.
  static JobProto JobWithAProbe(const std::string& between, const std::string& top) {
    JobProto job = Job(StrCat(
        kData, Wide("fc", "srclayers: 'data' innerproduct_conf { num_output: 400 }"), between,
        Wide("probe", "srclayers: 'data' include: kTest innerproduct_conf { num_output: 700 }"),
        Wide("top", StrCat("srclayers: '", top, "' innerproduct_conf { num_output: 4 }")),
        "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'top' srclayers: 'data' }"));
    job.add_gpu(0);
    return job;
  }
  static void ExpectCounted(const JobProto& job, bool updates_on_device) {
    Trainer trainer(job, 1);
    EXPECT_EQ(trainer.why_host_updates().empty(), updates_on_device);
    const int64_t counted = trainer.memory().gpus.total();
    Begin(&trainer);
    trainer.TrainStep(0);
    const Gpu& gpu = trainer.model().ctx().stream->gpu();
    const int64_t taken = gpu.total_bytes() - gpu.free_bytes();
    EXPECT_GE(taken, counted);
    EXPECT_LE(taken, counted + kSmall);
    EXPECT_EQ(trainer.memory().gpus.params - trainer.memory().gpus.gradients, (192 + 1) * 700 * 4);
  }
};

TEST_F(GpuMemory, IsCountedWithItsWorkspaceAndWhatOnlyTestsUse) {
  ExpectCounted(JobWithAProbe("", "fc"), true);
}

TEST_F(GpuMemory, IsCountedWhereTheHostUpdates) {
  ExpectCounted(
      JobWithAProbe("layer { name: 'two' user_type: 'TwoOnTheHost' srclayers: 'fc' }", "two:1"),
      false);
}

}  // namespace
}  // namespace singa::device_trainer
