// Tests which sums a process encodes, and the codec's state that it keeps for them.
#include "cluster/client/gradient_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "comm/codec/identity.h"
#include "singa/proto/cluster.pb.h"
#include "support/small_codecs.h"

namespace singa::gradient_encoder {
namespace {

// Process 1 has workers 3 to 5 of six. They make up two nodes of the tree.
Topology TwoNodes() {
  ClusterProto cluster;
  cluster.set_nworkers_per_group(6);
  cluster.set_nworkers_per_procs(3);
  return Topology(cluster);
}

TEST(GradientEncoderTest, SendsOneCopyOfTheSumsWithoutACodec) {
  const SliceTable table{std::vector<Shape>{{2}}};
  GradientEncoder encoder(Identity(), table, TwoNodes(), 1, 0);
  std::vector<float> a = {1, 2}, b = {3, 4};
  float* const sums[] = {a.data(), b.data()};
  const EncodedFloats sent = encoder.Encode(0, 0, sums);
  a[0] = 9;
  EXPECT_EQ(sent.count, 4);
  EXPECT_EQ(std::vector(FloatsOf(sent.bytes).begin(), FloatsOf(sent.bytes).end()),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(encoder.state(0).empty());
}

TEST(GradientEncoderTest, KeepsTheStateOfEachSliceAndNode) {
  const SliceTable table{std::vector<Shape>{{1}, {1}}};
  const RoundingCodec codec;
  GradientEncoder encoder(codec, table, TwoNodes(), 1, 0);
  float first = 1.001f, second = -1.001f;
  float* const sums[] = {&first, &second};
  encoder.Encode(0, 1, sums);
  EXPECT_EQ(std::vector(encoder.state(0).begin(), encoder.state(0).end()),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(encoder.state(1)[0], first - 1);
  EXPECT_EQ(encoder.state(1)[1], second + 1);
  EXPECT_EQ(GradientEncoder::StateBytes(codec, table.elements(), 2), 16);
}

// The largest of four floats is sent, if others have them, too; two of them are in each part.
TEST(GradientEncoderTest, LeavesNothingOutOfWhatOneWorkerHas) {
  AllReduceProto settings;
  settings.set_sparsity(0.25f);
  const auto codec = Codecs().Make("kTopK");
  codec->Setup(settings, 0.5f);
  ClusterProto cluster;
  cluster.set_nworkers_per_group(2);
  const Topology topology(cluster);
  const std::vector<Shape> shapes = {{4, 2}};
  for (const bool alone : {true, false}) {
    const ParamDivision division{.parts = alone ? 2 : 1, .contributors = 1};
    const SliceTable table(shapes, {division});
    ASSERT_EQ(table[0].size, alone ? 4 : 8);
    GradientEncoder encoder(*codec, table, topology, 0, 0);
    std::vector<float> gradient(table[0].size, 1);
    float* const sums[] = {gradient.data()};
    for (const float u : {1.f, 1.5f}) {  // u = 0.5 u + g
      const EncodedFloats sent = encoder.Encode(0, 0, sums);
      std::vector<float> floats(sent.count);
      ASSERT_TRUE(codec->Decode(
          {static_cast<const std::byte*>(sent.bytes.data()), sent.bytes.size()}, floats));
      const int64_t zeros = std::ranges::count(floats, 0.f);
      EXPECT_EQ(zeros, alone ? 0 : 6);
      if (alone) {
        EXPECT_EQ(floats, std::vector<float>(4, u));
      }
    }
  }
}

}  // namespace
}  // namespace singa::gradient_encoder
