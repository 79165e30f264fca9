// Tests kTopK and kThreshold on slices of a device's memory against the host's codecs.
#include "comm/codec/sparse_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "comm/codec/largest_floats.h"
#include "comm/codec/sparse_slices_block.h"
#include "support/comm/sent_floats.h"
#include "support/emulated_block.h"

namespace singa::sparse_slices_test {
namespace {

using Floats = std::vector<float>;

constexpr int kThreads = 32;
constexpr float kInf = std::numeric_limits<float>::infinity();

// One rank's slice with its state and code.
struct Slice {
  Slice(Floats gradient, int64_t states, int64_t most)
      : floats(std::move(gradient)), state(states * floats.size()), code(1 + most) {
    const int64_t n = std::ssize(floats);
    slice = {.floats = floats.data(),
             .rest = states > 0 ? state.data() : nullptr,
             .u = states > 1 ? state.data() + n : nullptr,
             .n = n,
             .whole = nullptr,
             .code = 0,
             .most = most};
  }
  Slice(const Slice&) = delete;

  void Set(const Floats& gradient) { std::ranges::copy(gradient, floats.begin()); }
  // Returns the floats that the code stands for.
  Floats Sent() const {
    Floats sent(floats.size());
    for (uint32_t p = 1; p <= code[0].at; ++p) sent[code[p].at] = code[p].value;
    return sent;
  }

  Floats floats, state;
  std::vector<SparsePair> code;
  SparseSlice slice;
};

struct Numbers {
  float factor = 1, bad = 0;
  StepState state;

  SparseRule Rule(float momentum = 0, bool masks = false, uint32_t least = 0) const {
    return {momentum, masks, least, &factor, {&bad, 1}, &state};
  }
};

class SparseSlices : public ::testing::TestWithParam<bool> {
 protected:
  void Encode(Slice* slice, const SparseRule& rule) {
    Context ctx;
    if (GetParam())
      RunBlocks(1, kThreads, EncodeSparseSlice{&slice->slice, rule, slice->code.data()});
    else
      EncodeSparse(ctx, &slice->slice, 1, rule, slice->code.data());
  }
  void AddUp(const SparseSlice& slice, const SparseCodes& codes) {
    Context ctx;
    if (GetParam())
      RunBlocks(1, kThreads, AddUpSparseSlice{&slice, &numbers_.bad, codes, &numbers_.state});
    else
      AddUpSparse(ctx, &slice, 1, &numbers_.bad, codes, &numbers_.state);
  }
  Numbers numbers_;
};
INSTANTIATE_TEST_SUITE_P(Kernels, SparseSlices, ::testing::Values(false, true),
                         [](const auto& kernel) { return kernel.param ? "blocks" : "plain"; });

// Gradients of several steps leave the host's bits, with each kind of state.
TEST_P(SparseSlices, SendWhatTheHostSendsAndKeepTheSameState) {
  for (const auto compression : {AllReduceProto::kTopK, AllReduceProto::kThreshold})
    for (const float momentum : {0.f, 0.9f})
      for (const bool feeds_back : {true, false})
        for (const int n : {1, 65, 1000}) {
          AllReduceProto conf;
          conf.set_error_feedback(feeds_back);
          conf.set_threshold(1.5f);
          const auto host = CodecOf(compression, conf, feeds_back ? momentum : 0);
          const bool by_threshold = compression == AllReduceProto::kThreshold;
          const int64_t most = by_threshold ? n : std::ceil(static_cast<float>(n) * 0.05f);
          Slice slice(Floats(n), host->states(), most);
          Floats state;
          for (int step = 0; step < 3; ++step) {
            slice.Set(Gaussian(n, 7 * step + n));
            const Floats sent = SentFloats(*host, slice.floats, &state);
            Encode(&slice,
                   numbers_.Rule(momentum, !by_threshold, by_threshold ? MagnitudeBits(1.5f) : 0));
            EXPECT_EQ(slice.Sent(), sent) << compression << ' ' << momentum << ' ' << n;
            EXPECT_EQ(slice.state, state) << compression << ' ' << momentum << ' ' << n;
          }
        }
}

// A slice that travels whole has zeros between the floats that are sent.
TEST_P(SparseSlices, OfAllFloatsSendTheSameAndKeepTheSameState) {
  for (const float momentum : {0.f, 0.9f}) {
    Slice pairs(Gaussian(500, 6), 2, 40), all(pairs.floats, 2, 40);
    Floats whole(500, 7);
    all.slice.whole = whole.data();
    const SparseRule rule = numbers_.Rule(momentum, true);
    Encode(&pairs, rule);
    Encode(&all, rule);
    EXPECT_EQ(whole, pairs.Sent());
    EXPECT_EQ(all.state, pairs.state);
  }
  Floats whole(90, 7);
  Slice bad(Gaussian(90, 7), 1, 9);
  bad.slice.whole = whole.data();
  numbers_.bad = 1;
  Encode(&bad, numbers_.Rule());
  EXPECT_EQ(whole, Floats(90));
  EXPECT_EQ(bad.state, Floats(90));
}

TEST_P(SparseSlices, SendTheFirstOfEqualFloats) {
  Floats floats(200, 1);
  for (int i = 0; i < 200; i += 3) floats[i] = -1;
  floats[150] = 2;
  Slice slice(floats, 0, 10);
  Encode(&slice, numbers_.Rule());
  Floats sent(200);
  std::copy_n(floats.begin(), 9, sent.begin());
  sent[150] = 2;
  EXPECT_EQ(slice.Sent(), sent);
}

TEST_P(SparseSlices, SendAllIfThereIsRoom) {
  const Floats floats = Gaussian(500, 1);
  Slice slice(floats, 1, 500);
  Encode(&slice, numbers_.Rule());
  EXPECT_EQ(slice.Sent(), floats);
  EXPECT_EQ(slice.state, Floats(500));
}

// A threshold that more floats exceed than there is room for sends the largest, and keeps others.
TEST_P(SparseSlices, SendTheLargestAboveAThreshold) {
  const Floats floats = Gaussian(500, 2);
  Slice slice(floats, 1, 20);
  Encode(&slice, numbers_.Rule(0, false, MagnitudeBits(0.01f)));
  const Floats sent = slice.Sent(), largest = Magnitudes(floats);
  EXPECT_EQ(Magnitudes(sent), Floats(largest.begin(), largest.begin() + 20));
  for (int i = 0; i < 500; ++i) EXPECT_EQ(sent[i] + slice.state[i], floats[i]);
}

TEST_P(SparseSlices, SendInfinityAndNaNBeforeAllOthers) {
  Floats floats = Gaussian(300, 3);
  floats[17] = kInf;
  floats[200] = std::nanf("");
  Slice slice(floats, 0, 2);
  Encode(&slice, numbers_.Rule());
  EXPECT_EQ(slice.code[0].at, 2u);
  EXPECT_EQ(slice.code[1].at, 17u);
  EXPECT_EQ(slice.code[2].at, 200u);
}

TEST_P(SparseSlices, OfAStepThatIsLeftOutSendNothingAndKeepTheState) {
  Slice slice(Gaussian(100, 4), 2, 10);
  Encode(&slice, numbers_.Rule(0.9f));
  const Floats before = slice.state;
  numbers_.bad = 1;
  slice.Set(Gaussian(100, 5));
  Encode(&slice, numbers_.Rule(0.9f));
  EXPECT_EQ(slice.code[0].at, 0u);
  EXPECT_EQ(slice.state, before);
}

TEST_P(SparseSlices, AreTakenWithoutTheLossesScaleAndWithTheFactor) {
  numbers_.factor = 0.5f;
  numbers_.state.loss_scale = 64;
  Slice slice(Floats(9, 128), 1, 9);
  Encode(&slice, numbers_.Rule());
  EXPECT_EQ(slice.Sent(), Floats(9, 1));
}

TEST_P(SparseSlices, AreAddedUpInTheOrderOfTheRanks) {
  Slice slice(Floats(70, 5), 0, 3);
  const std::vector<SparsePair> codes = {{2, 0}, {0, 1e8f}, {69, 1}, {0, 0},     {1, 0}, {0, 1},
                                         {0, 0}, {0, 0},    {3, 0},  {0, -1e8f}, {7, 2}, {69, 4}};
  numbers_.state.loss_scale = 2;
  const SparseCodes all = {codes.data(), 3, 4};
  const auto add_up = [&] { AddUp(slice.slice, all); };
  add_up();
  Floats sum(70);
  sum[0] = (2e8f + 2) - 2e8f;
  sum[7] = 4;
  sum[69] = 10;
  EXPECT_EQ(slice.floats, sum);
  numbers_.bad = 1;
  add_up();
  EXPECT_TRUE(std::ranges::all_of(slice.floats, [](float x) { return std::isnan(x); }));
}

TEST_P(SparseSlices, OfAllFloatsAreTakenAsTheyWereAddedUp) {
  Slice slice(Floats(70, 5), 0, 3);
  Floats whole = Gaussian(70, 8);
  whole[3] = -0.f;
  slice.slice.whole = whole.data();
  numbers_.state.loss_scale = 2;
  AddUp(slice.slice, {nullptr, 3, 0});
  for (int i = 0; i < 70; ++i) EXPECT_EQ(slice.floats[i], 2 * whole[i]);
  EXPECT_FALSE(std::signbit(slice.floats[3])) << "as in a sum of pairs";
  numbers_.bad = 1;
  AddUp(slice.slice, {nullptr, 3, 0});
  EXPECT_TRUE(std::ranges::all_of(slice.floats, [](float x) { return std::isnan(x); }));
}

}  // namespace
}  // namespace singa::sparse_slices_test
