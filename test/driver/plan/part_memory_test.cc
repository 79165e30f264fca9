#include "driver/plan/part_memory.h"

#include <gtest/gtest.h>

#include "driver/plan/part_trainer.h"
#include "support/driver/plan_jobs.h"

namespace singa {
namespace {

PartMemory MemoryAt(const WorkerPlace& place, const JobProto& job = ImageJob()) {
  return MemoryOf(PartTrainer(job, place).trainer());
}

WorkerPlace ThreadOfTwo(int worker) { return {.worker = worker, .workers = 2, .here = 2}; }

TEST(PartMemoryTest, IsAllThatTheWorkerNeeds) {
  for (int worker = 0; worker < 2; ++worker) {
    const PartTrainer part(ImageJob(), ThreadOfTwo(worker));
    EXPECT_EQ(MemoryOf(part.trainer()).total(), part.trainer().memory().host.total());
  }
}

TEST(PartMemoryTest, TheFirstOfTheThreadsHasTheSharedValues) {
  const PartMemory first = MemoryAt(ThreadOfTwo(0)), second = MemoryAt(ThreadOfTwo(1));
  EXPECT_GT(first.shared, 0);
  EXPECT_EQ(second.shared, 0);
  EXPECT_EQ(first.own, second.own);
}

TEST(PartMemoryTest, ParamsThatDoNotTrainAreTheWorkersOwn) {
  JobProto job = ImageJob();
  const PartMemory all = MemoryAt(ThreadOfTwo(0), job);
  for (LayerProto& layer : *job.mutable_neuralnet()->mutable_layer())
    if (layer.name() == "fc1") layer.mutable_param(0)->set_lr_scale(0);
  const PartMemory fewer = MemoryAt(ThreadOfTwo(0), job);
  EXPECT_LT(fewer.shared, all.shared);
  EXPECT_EQ(MemoryAt(ThreadOfTwo(0), job).own, MemoryAt(ThreadOfTwo(1), job).own);
}

}  // namespace
}  // namespace singa
