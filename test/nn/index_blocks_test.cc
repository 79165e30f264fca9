// Compares layers that read or give indices, as a device's threads compute them, with the plain
// kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "nn/input/one_hot.h"
#include "nn/input/one_hot_elements.h"
#include "nn/neuron/embedding.h"
#include "nn/neuron/embedding_block.h"
#include "nn/output/sample.h"
#include "nn/output/sample_block.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

using IndexValues = std::vector<float>;

TEST(EmbeddingBlockTest, LooksUpAsPlain) {
  constexpr int64_t kRows = 30, kSize = 9;
  const IndexValues index = RandomIndices<float>(kRows, kSize);
  Context ctx;
  for (int64_t d : {1, 7, 12}) {
    const IndexValues table = RandomValues("table", kSize * d);
    IndexValues want(kRows * d), y(kRows * d, NAN);
    EmbeddingForward(ctx, index.data(), table.data(), want.data(), kRows, d);
    for (int64_t i = 0; i < kRows * d; ++i)
      LookUp<float>{index.data(), table.data(), y.data(), d}(i);
    EXPECT_EQ(y, want);
    if (d % 4) continue;
    std::vector<Four> fours(kSize * d / 4), found(kRows * d / 4);
    std::memcpy(fours.data(), table.data(), table.size() * sizeof(float));
    for (int64_t i = 0; i < kRows * d / 4; ++i)
      LookUp<Four>{index.data(), fours.data(), found.data(), d / 4}(i);
    std::memcpy(y.data(), found.data(), y.size() * sizeof(float));
    EXPECT_EQ(y, want);
  }
}

TEST(EmbeddingBlockTest, GradientHasTheBitsOfPlain) {
  Context ctx;
  for (int threads : {32, 64})
    for (auto [n, v] : {std::array<int64_t, 2>{1, 1}, {40, 3}, {65, 9}, {150, 60}})
      for (int64_t d : {1, 33, 70})
        for (float beta : {0.f, 1.f}) {
          const IndexValues index = RandomIndices<float>(n, v), dy = RandomValues("dy", n * d);
          const IndexValues before = beta == 0 ? IndexValues(v * d) : RandomValues("dtable", v * d);
          IndexValues want = before, dtable = before;
          EmbeddingBackward(ctx, index.data(), dy.data(), beta, want.data(), n, v, d);
          RunBlocks(n, threads, EmbeddingGradientRow{index.data(), dy.data(), dtable.data(), n, d});
          EXPECT_EQ(dtable, want) << n << " rows of " << d;
        }
}

TEST(OneHotElementsTest, EqualsPlain) {
  constexpr int64_t kRows = 30;
  const IndexValues index = RandomIndices<float>(kRows, 12);
  Context ctx;
  for (auto [d, first] : {std::array<int64_t, 2>{12, 0}, {6, 6}, {5, 3}}) {
    IndexValues want(kRows * d), y(kRows * d, NAN);
    OneHot(ctx, index.data(), want.data(), kRows, d, first);
    for (int64_t i = 0; i < kRows * d; ++i) OneHotElement{index.data(), y.data(), d, first}(i);
    EXPECT_EQ(y, want);
  }
}

TEST(SampleBlockTest, DrawsAsPlain) {
  constexpr int64_t kRows = 50;
  Context ctx;
  for (int threads : {32, 64})
    for (int64_t d : {1, 2, 31, 100, 1000})
      for (float power : {1.f, 0.5f, 40.f}) {
        IndexValues p(kRows * d), u(kRows), want(kRows), index(kRows, NAN);
        for (int64_t i = 0; i < kRows * d; ++i) {
          const float x = Philox{1, 2, 3}.Uniform(i);
          p[i] = i % d && x < 0.5f ? 0 : x;  // some have no probability
        }
        for (int64_t i = 0; i < kRows; ++i) u[i] = Philox{4, 5, 6}.Uniform(i);
        DrawIndex(ctx, p.data(), u.data(), power, want.data(), kRows, d);
        RunBlocks(kRows, threads, DrawRow{p.data(), u.data(), power, index.data(), d});
        EXPECT_EQ(index, want) << "of " << d;
      }
}

TEST(SampleBlockTest, LastNumbersDrawWhatHasAProbability) {
  const float u = std::nextafter(1.f, 0.f);
  const IndexValues p = {0.3f, 0, 0.7f, 0, 0};
  float index = -1;
  RunBlocks(1, 32, DrawRow{p.data(), &u, 1, &index, 5});
  EXPECT_EQ(index, 2);
  const float none = 0;
  const IndexValues second = {0, 0.2f, 0.8f};
  RunBlocks(1, 32, DrawRow{second.data(), &none, 1, &index, 3});
  EXPECT_EQ(index, 1);
}

}  // namespace
}  // namespace singa
