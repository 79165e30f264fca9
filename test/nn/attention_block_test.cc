// Compares attention, as a device's threads compute it, with the plain kernels.
#include "nn/neuron/attention_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct BlockCase {
  AttentionShape shape;
  float ratio;
};

// One tile, tiles that are not full, and widths of one and of several runs of 32 numbers.
constexpr BlockCase kBlockCases[] = {{{1, 2, 2, 3, true}, 0},
                                     {{64, 1, 2, 32, true}, 0},
                                     {{70, 2, 1, 40, true}, 0.3f},
                                     {{70, 1, 2, 1, false}, 0.3f},
                                     {{130, 1, 1, 33, false}, 0}};

void ExpectClose(const std::vector<float>& got, const std::vector<float>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], 2e-5 * std::max(1.f, std::abs(want[i]))) << "element " << i;
}

TEST(AttentionBlockTest, EqualsPlain) {
  for (const auto& [shape, ratio] : kBlockCases) {
    SCOPED_TRACE(testing::Message() << shape.steps << " steps of " << shape.width);
    const int64_t rows = shape.steps * shape.rows, d = shape.units();
    const std::vector<float> qkv = RandomValues("qkv", rows * 3 * d),
                             d_o = RandomValues("do", rows * d);
    std::vector<float> o(rows * d), log_sum(shape.pairs() * shape.steps), dqkv(rows * 3 * d),
        scratch(AttentionScratch(shape, 1) / sizeof(float));
    AttentionFeature f = {.shape = shape,
                          .dropout = {.ratio = ratio, .numbers = {1, 2, 3}, .first_row = 5},
                          .qkv = qkv.data(),
                          .o = o.data(),
                          .log_sum = log_sum.data(),
                          .scratch = scratch.data(),
                          .threads = 1};
    AttentionGradient g = {.shape = shape,
                           .dropout = f.dropout,
                           .qkv = qkv.data(),
                           .o = o.data(),
                           .log_sum = log_sum.data(),
                           .d_o = d_o.data(),
                           .dqkv = dqkv.data(),
                           .scratch = scratch.data(),
                           .threads = 1};
    Context plain;
    plain.plain = true;
    AttentionForward(plain, f);
    AttentionBackward(plain, g);
    std::vector<float> own_o(o.size(), NAN), own_sum(log_sum.size(), NAN), own(dqkv.size(), NAN),
        delta(log_sum.size(), NAN);
    f.o = own_o.data(), f.log_sum = own_sum.data(), g.dqkv = own.data();
    const int64_t tiles = shape.pairs() * AttentionTiles(shape.steps);
    RunBlocks(tiles, kAttentionThreads, AttentionForwardTile{f, nullptr});
    ExpectClose(own_o, o);
    ExpectClose(own_sum, log_sum);
    RunBlocks(shape.pairs() * shape.steps, 32, AttentionDelta{g, delta.data()});
    const AttentionScores scores = {g, delta.data(), nullptr};
    RunBlocks(tiles, kAttentionThreads, AttentionQueryGradientTile{scores});
    RunBlocks(tiles, kAttentionThreads, AttentionKeyGradientTile{scores});
    ExpectClose(own, dqkv);
  }
}

// As when a text is written: only tiles from the first wanted query on are computed.
TEST(AttentionBlockTest, TheLastStepsAreThoseOfAllSteps) {
  const AttentionShape shape = {130, 2, 2, 33, true};
  const int64_t rows = shape.steps * shape.rows, d = shape.units(), first = 129;
  const std::vector<float> qkv = RandomValues("qkv", rows * 3 * d);
  std::vector<float> o(rows * d), log_sum(shape.pairs() * shape.steps),
      scratch(AttentionScratch(shape, 1) / sizeof(float));
  AttentionFeature f = {.shape = shape,
                        .dropout = {},
                        .qkv = qkv.data(),
                        .o = o.data(),
                        .log_sum = log_sum.data(),
                        .scratch = scratch.data(),
                        .threads = 1};
  Context plain;
  plain.plain = true;
  AttentionForward(plain, f);
  std::vector<float> own(o.size(), NAN), own_sum(log_sum.size(), NAN);
  f.first = first, f.o = own.data(), f.log_sum = own_sum.data();
  EXPECT_EQ(AttentionQueryTiles(f), 1);
  RunBlocks(shape.pairs() * AttentionQueryTiles(f), kAttentionThreads,
            AttentionForwardTile{f, nullptr});
  const int64_t begin = first * shape.rows * d;
  ExpectClose({own.begin() + begin, own.end()}, {o.begin() + begin, o.end()});
}

}  // namespace
}  // namespace singa
