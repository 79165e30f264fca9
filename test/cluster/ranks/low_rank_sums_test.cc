// Tests sums of gradients by thin matrices.
#include "cluster/ranks/low_rank_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "comm/codec/identity.h"
#include "comm/collective/slice_buckets.h"
#include "singa/base/philox.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/comm/memory_links.h"

namespace singa::low_rank_sums {
namespace {

const std::vector<Shape> kShapes = {{60, 50}, {60}};  // a matrix and its bias

// The processes of a group of `ranks` workers, as threads.
struct Ranks {
  explicit Ranks(int count, int rank_of_matrices, bool corrects = true, uint64_t seed = 0)
      : topology(JobOf("", StrCat("nworkers_per_group: ", count, " all_reduce {}")).cluster()),
        links(count) {
    const std::vector<std::vector<int>> buckets = BucketsOf(table, table.elements());
    for (int rank = 0; rank < count; ++rank) {
      dense.push_back(
          std::make_unique<RankSums>(topology, table, Identity(), buckets, links[rank]));
      const LowRankSums::Options options = {
          .rank = rank_of_matrices, .share = 1.0 / count, .corrects = corrects, .seed = seed};
      sums.push_back(
          std::make_unique<LowRankSums>(table, kShapes, options, dense.back().get(), links[rank]));
    }
  }
  // Adds up gradients[rank], which have the matrix and the bias behind each other. Returns the sum
  // of each rank.
  std::vector<std::vector<float>> AddUp(int64_t exchange,
                                        const std::vector<std::vector<float>>& gradients) {
    std::vector<std::vector<float>> results(gradients.size());
    std::vector<std::jthread> threads;
    for (size_t rank = 0; rank < gradients.size(); ++rank)
      threads.emplace_back([&, rank] { AddUpIn(rank, exchange, gradients[rank], &results[rank]); });
    threads.clear();
    return results;
  }
  void AddUpIn(size_t rank, int64_t exchange, const std::vector<float>& gradient,
               std::vector<float>* result) {
    result->resize(gradient.size());
    std::vector<int> slices;
    std::vector<EncodedFloats> own;
    for (int s = 0; s < table.size(); ++s) {
      slices.push_back(s);
      own.push_back(
          Plain(CopyFloats({gradient.data() + At(s), static_cast<size_t>(table[s].size)})));
    }
    sums[rank]->AddUp(exchange, slices, own, [&](int s, std::span<const float> sum) {
      std::ranges::copy(sum, result->begin() + At(s));
    });
  }
  int64_t At(int s) const { return table[s].begin + (table[s].param == 0 ? 0 : 3000); }

  const Topology topology;
  const SliceTable table{kShapes};
  MemoryLinks links;
  std::vector<std::unique_ptr<RankSums>> dense;
  std::vector<std::unique_ptr<LowRankSums>> sums;
};

std::vector<float> Noise(uint32_t seed, int64_t n = 3060) {
  const Philox random{.seed = 3, .purpose = seed, .step = 0};
  std::vector<float> floats(n);
  for (int64_t i = 0; i < n; ++i) floats[i] = random.Gaussian(i);
  return floats;
}

// A gradient whose matrix is a product of one column and one row.
std::vector<float> OfRankOne(uint32_t seed) {
  std::vector<float> gradient = Noise(seed);
  const LowRankShape shape{60, 50, 1};
  Expand(shape, Noise(seed + 100, 60), Noise(seed + 200, 50), std::span(gradient).first(3000));
  return gradient;
}

double Furthest(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max<double>(worst, std::abs(a[i] - b[i]));
  return worst;
}

std::vector<float> Sum(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> sum(a.size());
  for (size_t i = 0; i < a.size(); ++i) sum[i] = a[i] + b[i];
  return sum;
}

TEST(LowRankSums, AreExactWhereTheRankSuffices) {
  Ranks ranks(2, 2);
  const std::vector<float> a = OfRankOne(0), b = OfRankOne(1);  // their sum has rank 2
  const auto results = ranks.AddUp(0, {a, b});
  EXPECT_LT(Furthest(results[0], Sum(a, b)), 1e-4);
  EXPECT_EQ(results[0], results[1]);
}

TEST(LowRankSums, AreAlikeInAllRanksAndBiasesAreExact) {
  Ranks ranks(3, 2);
  const auto results = ranks.AddUp(0, {Noise(0), Noise(1), Noise(2)});
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  const std::vector<float> bias(results[0].begin() + 3000, results[0].end());
  const std::vector<float> all = Sum(Sum(Noise(0), Noise(1)), Noise(2));
  EXPECT_EQ(bias, std::vector<float>(all.begin() + 3000, all.end()));
}

// The sums of all steps, and what the ranks still keep, are all gradients.
TEST(LowRankSums, WhatIsLeftOutIsAddedToTheNextGradient) {
  Ranks ranks(2, 1);
  std::vector<float> given(3060), sent(3060);
  for (int64_t step = 0; step < 5; ++step) {
    const std::vector<float> a = Noise(static_cast<uint32_t>(2 * step));
    const std::vector<float> b = Noise(static_cast<uint32_t>(2 * step + 1));
    given = Sum(given, Sum(a, b));
    sent = Sum(sent, ranks.AddUp(step, {a, b})[0]);
  }
  std::vector<float> left_out(3000);
  for (const auto& one : ranks.sums)
    for (const StoredTensor& tensor : one->State("own/"))
      if (tensor.name.starts_with("own/")) {
        const std::vector<float> floats = FloatsIn(tensor);
        for (int64_t i = 0; i < 3000; ++i) left_out[i] += floats[i];
      }
  const std::vector<float> sent_matrix(sent.begin(), sent.begin() + 3000);
  EXPECT_LT(Furthest(Sum(sent_matrix, left_out), given), 1e-4);
  EXPECT_GT(Furthest(sent_matrix, given), 1) << "rank 1 leaves most out";
}

// The matrix M Q of such gradients is not finite, and the step is left out.
TEST(LowRankSums, AnOverflowDoesNotReachTheNextStep) {
  Ranks ranks(2, 2);
  const std::vector<float> huge(3060, 3e38f);
  EXPECT_FALSE(std::isfinite(ranks.AddUp(0, {huge, huge})[0][0]));
  const std::vector<float> a = OfRankOne(0), b = OfRankOne(1);
  EXPECT_LT(Furthest(ranks.AddUp(1, {a, b})[0], Sum(a, b)), 1e-4);
}

TEST(LowRankSums, BeginWithNumbersOfTheJobsSeed) {
  const auto sum_with = [](uint64_t seed) {
    return Ranks(1, 2, true, seed).AddUp(0, {Noise(0)})[0];
  };
  EXPECT_EQ(sum_with(1), sum_with(1));
  EXPECT_NE(sum_with(1), sum_with(2));
}

TEST(LowRankSums, GoOnFromTheirState) {
  Ranks whole(2, 2), first(2, 2), second(2, 2);
  for (int64_t step = 0; step < 2; ++step) {
    whole.AddUp(step, {Noise(7), Noise(8)});
    first.AddUp(step, {Noise(7), Noise(8)});
  }
  std::map<std::string, std::vector<float>> state;
  for (int rank = 0; rank < 2; ++rank)
    for (const StoredTensor& tensor : first.sums[rank]->State(StrCat("of", rank, "/"))) {
      EXPECT_TRUE(LowRankSums::HasState(StrCat("of", rank, "/"), tensor.name));
      state[tensor.name] = FloatsIn(tensor);
    }
  EXPECT_EQ(state.size(), 3u) << "what each left out, and one basis";
  for (int rank = 0; rank < 2; ++rank)
    EXPECT_TRUE(second.sums[rank]->Restore(StrCat("of", rank, "/"), state));
  EXPECT_FALSE(Ranks(2, 2).sums[0]->Restore("of0/", {}));
  const auto expected = whole.AddUp(2, {Noise(9), Noise(10)});
  EXPECT_EQ(second.AddUp(2, {Noise(9), Noise(10)}), expected);
}

TEST(LowRankSums, KeepTheRestWhereOnlyTheBasisChanges) {
  Ranks before(2, 2);
  before.AddUp(0, {Noise(7), Noise(8)});
  std::map<std::string, std::vector<float>> state;
  for (const StoredTensor& tensor : before.sums[0]->State("of0/"))
    state[tensor.name] = FloatsIn(tensor);
  Ranks narrow(2, 1);
  EXPECT_TRUE(narrow.sums[0]->Restore("of0/", state)) << "a basis of one column begins anew";
  EXPECT_EQ(FloatsIn(narrow.sums[0]->State("of0/")[0]), state.begin()->second);
  EXPECT_TRUE(Ranks(2, 2, false).sums[0]->Restore("of0/", state)) << "it keeps no rest";
}

}  // namespace
}  // namespace singa::low_rank_sums
