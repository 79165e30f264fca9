// Tests the state of a codec, as a checkpoint has it.
#include "cluster/client/codec_state.h"

#include <gtest/gtest.h>

#include "support/cluster/served_process.h"
#include "support/small_codecs.h"

namespace singa {
namespace {

constexpr char kAlone[] = "nworkers_per_group: 1 share_memory: false";

// Process 0 has workers 0 to 2 of 6, which are two nodes of the tree.
TEST(CodecStateTest, IsCounted) {
  const JobProto job = JobOf(kSumUpdater, "nworkers_per_group: 6 nworkers_per_procs: 3");
  const Topology topology(job.cluster());
  const ProgressDeadline deadline(std::chrono::milliseconds(1000));
  ServedCluster rounding(job, topology, 0, nullptr, &deadline, {},
                         std::make_unique<RoundingCodec>());
  EXPECT_EQ(rounding.codec_state().bytes(100), 800);
  EXPECT_EQ(ServedCluster(job, topology, 0, nullptr, &deadline).codec_state().bytes(100), 0);
}

TEST(CodecStateTest, IsGivenAndTaken) {
  ServedProcess first(kAlone, std::make_unique<RoundingCodec>());
  first.Connect({0});
  std::vector<float> sums = {1.001f, 2, -1.001f};
  float* const pointer = sums.data();
  first.cluster.updates(0).encoder()->Encode(0, 1, {&pointer, 1});
  const auto states = first.States();
  EXPECT_EQ(states.at("codec/group0/workers0-0/slice0"), (std::vector<float>{0, 0}));
  EXPECT_EQ(states.at("codec/group0/workers0-0/slice1"),
            (std::vector<float>{sums[0] - 1, 0, sums[2] + 1}));

  ServedProcess second(kAlone, std::make_unique<RoundingCodec>());
  second.Connect({0});
  for (const auto& [name, floats] : states)
    EXPECT_TRUE(second.cluster.codec_state().Has(name)) << name;
  EXPECT_FALSE(second.cluster.codec_state().Has("codec/group0/workers0-1/slice0"));
  EXPECT_TRUE(second.cluster.codec_state().Set(states).empty());
  EXPECT_EQ(second.States(), states);
}

TEST(CodecStateTest, OfOtherWorkersIsLeftOut) {
  ServedProcess first(kAlone, std::make_unique<RoundingCodec>());
  first.Connect({0});
  ServedProcess second("nworkers_per_group: 2 nworkers_per_procs: 2 share_memory: false",
                       std::make_unique<RoundingCodec>());
  second.Connect({0});
  auto states = first.States();
  states.begin()->second[0] = 7;
  EXPECT_EQ(second.cluster.codec_state().Set(states), std::vector<int>{0});
  states = first.States();
  states.erase(states.begin());
  EXPECT_EQ(first.cluster.codec_state().Set(states), std::vector<int>{0});
  EXPECT_EQ(first.States().begin()->second, (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace singa
