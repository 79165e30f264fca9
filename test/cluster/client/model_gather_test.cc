// Tests how a client asks the masters for the model, and which answers it takes.
#include "cluster/client/model_gather.h"

#include <gtest/gtest.h>

#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

// Two server groups of two servers are masters of slices in turn: group 0 of slices 0 and 2, group
// 1 of slice 1. Server 0 of a group has slices 0 and 1, server 1 has slice 2.
class ModelGatherTest : public ::testing::Test {
 protected:
  bool Answer(int slice, int group, const std::vector<float>& floats, int64_t version = 4) {
    SlicePart head;
    head.set_slice(slice);
    head.set_version(version);
    head.set_count(9);
    head.set_elements(static_cast<uint32_t>(floats.size()));
    return gather.OnState({slice, &head, FrameOf(floats)}, group);
  }
  void AnswerAll() {
    EXPECT_TRUE(Answer(0, 0, {1, 2, 3}));
    EXPECT_TRUE(Answer(1, 1, {4, 5}));
    EXPECT_TRUE(Answer(2, 0, std::vector<float>(900, 6)));
  }

  const JobProto job =
      JobOf(kSumUpdater, "nworker_groups: 2 nserver_groups: 2 nservers_per_group: 2");
  const SliceTable table{{{3}, {2}, {900}}};
  const Topology topology{job.cluster()};
  const SliceOwners owners{topology, table};
  HeldClock clock;
  SentMessages sent;
  Outgoing out{ClientAddress(0, 1), 65536, &sent};
  ModelGather gather{table, owners, clock, &out};
};

TEST_F(ModelGatherTest, AsksTheMasterOfEachSlice) {
  clock.now = 50;
  EXPECT_TRUE(gather.complete());
  gather.Ask(4);
  EXPECT_FALSE(gather.complete());
  std::map<int, std::pair<uint32_t, uint32_t>> asked;  // group and id, by slice
  for (const Message& message : sent.messages)
    for (const SlicePart& part : message.head.part()) {
      EXPECT_EQ(message.head.type(), WireMessage::kGather);
      EXPECT_EQ(part.version(), 4);
      asked[static_cast<int>(part.slice())] = {message.head.to().group(), message.head.to().id()};
    }
  EXPECT_EQ(asked, (decltype(asked){{0, {0, 0}}, {1, {1, 0}}, {2, {0, 1}}}));
  EXPECT_EQ(gather.asked_at(2), 50);
}

TEST_F(ModelGatherTest, IsCompleteWithAllSlices) {
  gather.Ask(0);
  EXPECT_TRUE(Answer(0, 0, {1, 2, 3}));
  EXPECT_FALSE(gather.Awaits(0));
  EXPECT_TRUE(gather.Awaits(1));
  EXPECT_TRUE(Answer(1, 1, {4, 5, 0, 1}));  // values, and one state of the updater
  EXPECT_FALSE(gather.complete());
  EXPECT_TRUE(Answer(2, 0, std::vector<float>(900, 6)));
  ASSERT_TRUE(gather.complete());
  const std::vector<SliceState> model = gather.Take();
  ASSERT_EQ(model.size(), 3u);
  EXPECT_EQ(model[1].floats, (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(model[1].version, 4);
  EXPECT_EQ(model[1].count, 9);
}

TEST_F(ModelGatherTest, RefusesAnswersThatDoNotFit) {
  EXPECT_FALSE(Answer(0, 0, {1, 2, 3})) << "nobody asked";
  gather.Ask(0);
  EXPECT_FALSE(Answer(0, 1, {1, 2, 3})) << "not the slice's master";
  EXPECT_FALSE(Answer(0, 0, {1, 2, 3, 4})) << "no multiple of its size";
  EXPECT_FALSE(Answer(0, 0, {}));
  EXPECT_TRUE(Answer(0, 0, {1, 2, 3}));
  EXPECT_FALSE(Answer(0, 0, {7, 7, 7})) << "it has come";
  EXPECT_FALSE(gather.complete());
}

TEST_F(ModelGatherTest, AsksAgainForAnotherModel) {
  gather.Ask(0);
  AnswerAll();
  gather.Take();
  gather.Ask(5);
  EXPECT_FALSE(gather.complete());
  EXPECT_TRUE(Answer(1, 1, {8, 9}, 5));
  EXPECT_TRUE(Answer(0, 0, {1, 2, 3}, 5));
  EXPECT_TRUE(Answer(2, 0, std::vector<float>(900, 6), 5));
  EXPECT_EQ(gather.Take()[1].floats, (std::vector<float>{8, 9}));
}

}  // namespace
}  // namespace singa
