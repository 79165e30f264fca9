// Tests which process may replace a lost one, and which orders it gets.
#include "cluster/process/replacements.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "comm/message/control_message.h"

namespace singa {
namespace {

ClusterProto Conf(const char* text) {
  ClusterProto conf;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf));
  return conf;
}

// Process 0 has group 0, and process 3 has the servers.
constexpr char kDownpour[] = "nworker_groups: 3 server_worker_separate: true";

using Kind = ControlMessage::KindCase;
std::vector<Kind> Kinds(const std::optional<std::vector<ControlMessage>>& orders) {
  std::vector<Kind> kinds;
  for (const ControlMessage& order : orders.value_or(std::vector<ControlMessage>()))
    kinds.push_back(order.kind_case());
  return kinds;
}

TEST(ReplacementsTest, OnlyWholeGroupsMayBeReplaced) {
  const Topology apart(Conf(kDownpour));
  EXPECT_FALSE(apart.IsReplaceable(0));
  EXPECT_TRUE(apart.IsReplaceable(1));
  EXPECT_TRUE(apart.IsReplaceable(2));
  EXPECT_FALSE(apart.IsReplaceable(3));
  const Topology with_first(Conf("nworker_groups: 3"));  // the first process has the server
  EXPECT_FALSE(with_first.IsReplaceable(0));
  EXPECT_TRUE(with_first.IsReplaceable(1));
  const Topology servers_in_all(Conf("nworker_groups: 3 nserver_groups: 3"));
  EXPECT_FALSE(servers_in_all.IsReplaceable(1));
  const Topology one_group(Conf("nworkers_per_group: 3 server_worker_separate: true"));
  EXPECT_FALSE(one_group.IsReplaceable(1));
  const Topology spread(Conf("nworker_groups: 2 nworkers_per_group: 2"));
  EXPECT_FALSE(spread.IsReplaceable(2));
}

class ReplacementsOfDownpour : public ::testing::Test {
 protected:
  const Topology topology{Conf(kDownpour)};
  Replacements replacements{topology};
};

TEST_F(ReplacementsOfDownpour, NobodyIsReplacedBeforeAllHaveBegun) {
  replacements.NoteStart(BeginAt({0, 0, 0}, 50, ""));
  EXPECT_FALSE(replacements.Greet(1));
  replacements.Begin();
  EXPECT_TRUE(replacements.Greet(1));
  EXPECT_FALSE(replacements.Greet(3));
}

TEST_F(ReplacementsOfDownpour, AreToldOfTheLastCheckpoint) {
  replacements.NoteStart(BeginAt({0, 0, 0}, 50, ""));
  replacements.Begin();
  replacements.NoteStart(BeginAt({40, 41, 39}, 50, "checkpoint/step40"));
  const auto orders = replacements.Greet(2);
  ASSERT_EQ(Kinds(orders), std::vector{Kind::kTakePlace});
  const ControlMessage::TakePlace& place = orders->front().take_place();
  EXPECT_FALSE(place.hold());
  EXPECT_EQ(place.begin().checkpoint(), "checkpoint/step40");
  EXPECT_EQ(
      std::vector<int64_t>(place.begin().group_steps().begin(), place.begin().group_steps().end()),
      (std::vector<int64_t>{40, 41, 39}));
}

TEST_F(ReplacementsOfDownpour, HoldWhereTheLostOneHadNotSaidSo) {
  replacements.Begin();
  replacements.AskToHold();
  replacements.Held(2);
  const auto orders = replacements.Greet(1);
  ASSERT_EQ(Kinds(orders), (std::vector{Kind::kTakePlace, Kind::kHold}));
  EXPECT_TRUE(orders->front().take_place().hold());
  EXPECT_FALSE(replacements.Greet(2)) << "its steps are waited for";
  replacements.Held(1);
  replacements.Go();
  EXPECT_EQ(Kinds(replacements.Greet(1)), std::vector{Kind::kTakePlace});
}

TEST_F(ReplacementsOfDownpour, EndWithAJobThatHasEnded) {
  replacements.Begin();
  replacements.End();
  EXPECT_EQ(Kinds(replacements.Greet(1)), std::vector{Kind::kEnd});
}

TEST_F(ReplacementsOfDownpour, AreToldHowFarTheOthersAre) {
  replacements.NoteSteps(0, 12);
  replacements.NoteSteps(1, 10);
  replacements.NoteSteps(2, 14);
  replacements.NoteLeft(2);
  const std::vector<ControlMessage> news = replacements.News(1);
  ASSERT_EQ(Kinds(news), (std::vector{Kind::kSteps, Kind::kSteps, Kind::kLeft}));
  EXPECT_EQ(news[0].steps().group(), 0);
  EXPECT_EQ(news[0].steps().steps(), 12);
  EXPECT_EQ(news[1].steps().group(), 2);
  EXPECT_EQ(news[1].steps().steps(), 14);
  EXPECT_EQ(news[2].left().group(), 2);
}

TEST_F(ReplacementsOfDownpour, NobodyTakesThePlaceOfWhoWasDone) {
  replacements.Begin();
  replacements.NoteLeft(1);
  EXPECT_FALSE(replacements.Greet(1)) << "all its steps are waited for";
  EXPECT_TRUE(replacements.Greet(2));
}

// The new process begins at the checkpoint's step, even if the lost one had done more steps.
TEST_F(ReplacementsOfDownpour, BeginAtTheCheckpointsSteps) {
  replacements.Begin();
  replacements.NoteStart(BeginAt({40, 41, 39}, 50, ""));
  replacements.NoteSteps(1, 60);
  replacements.Greet(1);
  EXPECT_EQ(replacements.StepsAtStart(1), 41);
  EXPECT_EQ(replacements.News(2)[0].steps().steps(), 41);
}

TEST_F(ReplacementsOfDownpour, RowsOfAStepThatIsTakenAgainAreNoNews) {
  replacements.Begin();
  EXPECT_TRUE(replacements.IsNews(1, 6));
  EXPECT_TRUE(replacements.IsNews(1, 7));
  EXPECT_TRUE(replacements.IsNews(1, 7)) << "another row of the step";
  EXPECT_TRUE(replacements.IsNews(2, 3));
  replacements.Greet(1);
  EXPECT_FALSE(replacements.IsNews(1, 7));
  EXPECT_TRUE(replacements.IsNews(1, 8));
  EXPECT_TRUE(replacements.IsNews(2, 3)) << "of another group";
}

}  // namespace
}  // namespace singa
