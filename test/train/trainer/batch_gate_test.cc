#include "train/trainer/batch_gate.h"

#include <gtest/gtest.h>

namespace singa::batch_gate {
namespace {

TEST(BatchGateTest, LetsAllBatchesPassWithoutARequest) {
  const std::function<bool()> never = [] { return false; };
  BatchGate gate(never);
  for (const int64_t batch : {0, 0, 1, 1, 2, 2}) EXPECT_TRUE(gate.Begin(batch));
}

// Another worker may wait within batch 1 for the worker that asks there.
TEST(BatchGateTest, AWorkerThatIsBehindComputesTheBatchesThatOthersHaveBegun) {
  bool asked = false;
  const std::function<bool()> stop = [&asked] { return asked; };
  BatchGate gate(stop);
  EXPECT_TRUE(gate.Begin(0));
  EXPECT_TRUE(gate.Begin(1));
  asked = true;
  EXPECT_TRUE(gate.Begin(0));
  EXPECT_TRUE(gate.Begin(1));
  EXPECT_FALSE(gate.Begin(2));
  EXPECT_FALSE(gate.Begin(2));
}

TEST(BatchGateTest, ARequestBeforeTheFirstBatchStopsAllWorkersThere) {
  const std::function<bool()> at_once = [] { return true; };
  BatchGate gate(at_once);
  EXPECT_FALSE(gate.Begin(0));
  EXPECT_FALSE(gate.Begin(0));
}

}  // namespace
}  // namespace singa::batch_gate
