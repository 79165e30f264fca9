#include "driver/plan/gradient_modes.h"

#include <gtest/gtest.h>

namespace singa::gradient_modes {
namespace {

PlanCluster TwoHosts() {
  PlanCluster cluster;
  cluster.workers = cluster.hosts = 2;
  return cluster;
}

// Returns a net of one layer, divided by rows, that sends 8 MB in 64 ms.
CostNet OneLayer() {
  CostLayer layer;
  layer.costs[LayoutByRows(2)] = {
      .forward_ms = 3, .backward_ms = 5, .update_ms = 10, .sent_ms = 64, .sent_bytes = 8'000'000};
  CostNet net;
  net.layers = {layer};
  net.bridges.workers = 2;
  return net;
}

std::vector<GradientMode> Modes(const CodecRates& codec, double send_ms_per_mb = 0) {
  return PredictModes(OneLayer(), {LayoutByRows(2)}, TwoHosts(), {codec}, send_ms_per_mb);
}

TEST(GradientModes, MeasureBytesOfNoise) {
  AllReduceProto conf;
  conf.set_sparsity(0.01f);
  const std::vector<CodecRates> codecs = MeasureCodecs(conf, 2);
  ASSERT_EQ(codecs.size(), 2u);
  EXPECT_EQ(codecs[0].name, "kFp16");
  EXPECT_NEAR(codecs[0].gradient, 0.5, 1e-4);
  EXPECT_NEAR(codecs[0].sum, 0.5, 1e-4);
  EXPECT_EQ(codecs[1].name, "kTopK, 1 %");
  EXPECT_NEAR(codecs[1].gradient, 0.0133, 0.001) << "5 bytes and some for each hundredth float";
  EXPECT_NEAR(codecs[1].sum, 0.0257, 0.001) << "of two hosts";
  for (const CodecRates& codec : codecs)
    EXPECT_TRUE(codec.encode_ms > 0 && codec.decode_ms > 0 && codec.sum_ms > 0) << codec.name;
}

TEST(GradientModes, OfFewerBytesTakeLessTimeOnTheLink) {
  const auto modes = Modes({.name = "quarter", .gradient = 0.25, .sum = 0.25});
  ASSERT_EQ(modes.size(), 2u);
  EXPECT_EQ(modes[0].name, "kNone");
  EXPECT_EQ(modes[0].sent_bytes, 8'000'000);
  EXPECT_EQ(modes[1].sent_bytes, 2'000'000);
  EXPECT_NEAR(modes[0].step_ms - modes[1].step_ms, 48, 1e-6);
}

// 4 MB of gradients: encoded once, decoded twice, and their sum encoded once.
TEST(GradientModes, CountTheWorkOfTheCodecAndTheSavedCopies) {
  const CodecRates codec{
      .name = "slow", .gradient = 0.5, .sum = 0.5, .encode_ms = 10, .decode_ms = 3, .sum_ms = 4};
  const auto free = Modes({.name = "free", .gradient = 0.5, .sum = 0.5});
  EXPECT_NEAR(Modes(codec)[1].step_ms - free[1].step_ms, 4 * (10 + 2 * 3 + 4), 1e-6);
  EXPECT_NEAR(Modes(codec, 1)[1].step_ms - free[1].step_ms, 4 * (10 + 2 * 3 + 4) - 4 * 1, 1e-6);
}

}  // namespace
}  // namespace singa::gradient_modes
