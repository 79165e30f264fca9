// Tests which outputs each node reads.
#include "nn/plan/net_sources.h"

#include "support/net_test.h"

namespace singa {
namespace net_sources_test {

using Edges = std::vector<std::pair<int, int>>;

void ExpectSource(const NetSource& source, const NetSource& want) {
  EXPECT_EQ(source.node, want.node);
  EXPECT_EQ(source.output, want.output);
  EXPECT_EQ(source.step, want.step);
  EXPECT_EQ(source.steps, want.steps);
}

constexpr char kTwo[] = R"(
  layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
  layer { name: "two" user_type: "TestTwo" srclayers: "data" }
  layer { name: "loss" user_type: "TestLoss" srclayers: "two:1" srclayers: "two:0" })";

TEST(NetSources, NameTheOutputThatIsRead) {
  TestNet test(kTwo);
  const std::vector<NodeSources> sources = SourcesOf(test.net);
  ASSERT_EQ(sources.size(), 3u);
  EXPECT_TRUE(sources[0].empty());
  ASSERT_EQ(sources[2].size(), 2u);
  ExpectSource(sources[2][0][0], {.node = 1, .output = 1});
  ExpectSource(sources[2][1][0], {.node = 1, .output = 0});
}

TEST(NetSources, AReadOfTwoOutputsIsTwoEdges) {
  TestNet test(kTwo);
  EXPECT_EQ(EdgesOf(test.net), (Edges{{0, 1}, {1, 2}, {1, 2}}));
}

constexpr char kSteps[] = R"(unroll_len: 3
  layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 3 }
          dummy_conf { shape: 2 shape: 4 } }
  layer { name: "fc" user_type: "TestLinear" srclayers: "text" param { name: "e" }
          innerproduct_conf { num_output: 5 } })";

TEST(NetSources, AFoldedLayerReadsOneOutputForEachTimeStep) {
  TestNet test(kSteps);
  const NodeSources of_fc = SourcesOf(test.net)[1];
  ASSERT_EQ(of_fc.size(), 1u);
  ASSERT_EQ(of_fc[0].size(), 3u);
  for (int t = 0; t < 3; ++t) ExpectSource(of_fc[0][t], {.node = 0, .output = t});
}

TEST(NetSources, TheNodeOfATimeStepReadsItsStepAlone) {
  NetOptions unfold;
  unfold.fold = false;
  TestNet test(kSteps, unfold);
  const std::vector<NodeSources> sources = SourcesOf(test.net);
  ASSERT_EQ(sources.size(), 4u);
  for (int t = 0; t < 3; ++t) {
    ASSERT_EQ(sources[1 + t][0].size(), 1u);
    ExpectSource(sources[1 + t][0][0], {.node = 0, .output = t});
  }
  EXPECT_EQ(EdgesOf(test.net), (Edges{{0, 1}, {0, 2}, {0, 3}}));
}

}  // namespace net_sources_test
}  // namespace singa
