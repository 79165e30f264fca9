// Tests names of the state that the exchange of gradients keeps. Checkpoints on disk have them.
#include "train/reduce/exchange_state.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(ExchangeState, BelongsToTheWorkersInItsName) {
  EXPECT_EQ(StatePrefix(kCodecState), "codec/");
  EXPECT_EQ(StatePrefix(kCodecState, 2), "codec/group2/");
  EXPECT_EQ(StatePrefix(kCodecState, 0, {{0, 2}}), "codec/group0/workers0-1/");
  EXPECT_EQ(StatePrefix(kLowRankState, 0, {{3, 4}}), "powersgd/group0/workers3-3/");
  EXPECT_EQ(StatePrefix(kOwnValuesState, 0, {{1, 2}, {2, 4}}), "partial/group0/workers1-1+2-3/");
}

TEST(ExchangeState, ThatAllHaveAlikeNamesNoWorkers) {
  EXPECT_EQ(CommonPrefix(kLowRankState), "powersgd/basis/");
}

}  // namespace
}  // namespace singa
