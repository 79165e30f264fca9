// Tests the steps of worker groups at one server, which the tests call directly.
#include "cluster/server/group_steps.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/cluster/steps_of_a_server.h"

namespace singa {
namespace {

using Arrival = StepSum::Arrival;

constexpr char kTwoWorkers[] = "nworkers_per_group: 2";
constexpr char kTogether[] = "nworker_groups: 2 user_consistency: 'kSynchronous'";

TEST(GroupStepsTest, ServesTheWorkerGroupsOfItsServerGroup) {
  const StepsOfAServer server("nworker_groups: 4 nserver_groups: 2");
  EXPECT_TRUE(server.steps.Serves(0));
  EXPECT_TRUE(server.steps.Serves(1));
  EXPECT_FALSE(server.steps.Serves(2));
  EXPECT_FALSE(server.steps.Serves(int64_t{1} << 32));
}

TEST(GroupStepsTest, AnUnknownConsistencyIsAnErrorOfTheClusterProto) {
  try {
    StepsOfAServer("user_consistency: 'kNone'");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "user_consistency");
  }
}

TEST(GroupStepsTest, UpdatesWhenAllProcessesHaveContributed) {
  StepsOfAServer server(kTwoWorkers);
  server.PutAll();
  EXPECT_EQ(server.Give(0, 1, 0, 1, {1, 2}), Arrival::kTaken);
  EXPECT_EQ(server.Values(1), (std::vector<float>{10, 10}));
  EXPECT_EQ(server.Sent(), "");
  EXPECT_EQ(server.Give(0, 0, 0, 1, {3, 3}), Arrival::kTaken);
  EXPECT_EQ(server.Values(1), (std::vector<float>{6, 5}));
  EXPECT_EQ(server.Sent(), "kValues->0 1v1x2;kValues->1 1v1x2;");
  EXPECT_EQ(server.steps.counts().applied, 1);
  EXPECT_EQ(server.steps.LastStep(0, 1), 0);
  EXPECT_EQ(server.steps.LastStep(0, 0), -1);
}

TEST(GroupStepsTest, AContributionHasTheFloatsOfEachNodeOfItsProcess) {
  EXPECT_EQ(StepsOfAServer(kTwoWorkers).steps.FloatsOf(0, 1, 0), 3);
  // Workers 0, 1 and 2 of six are the nodes [0, 2) and [2, 3) of the sum's tree.
  const StepsOfAServer server("nworkers_per_group: 6 nworkers_per_procs: 3");
  EXPECT_EQ(server.steps.FloatsOf(0, 0, 0), 6);
  EXPECT_EQ(server.steps.FloatsOf(0, 0, 1), 4);
}

TEST(GroupStepsTest, ASecondContributionOfAProcessIsADuplicate) {
  StepsOfAServer server(kTwoWorkers);
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 2});
  EXPECT_EQ(server.Give(0, 0, 0, 1, {1, 2}), Arrival::kDuplicate);
  EXPECT_EQ(server.Values(1), (std::vector<float>{10, 10}));
}

TEST(GroupStepsTest, AContributionToALaterStepWaitsForTheOneThatIsCollected) {
  StepsOfAServer server(kTwoWorkers);
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 2});
  EXPECT_EQ(server.Give(0, 1, 1, 1, {1, 2}), Arrival::kOtherStep);
}

// The answer may have gone to a process that was lost.
TEST(GroupStepsTest, AContributionToADoneStepIsAnsweredAgain) {
  StepsOfAServer server("");
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 1});
  server.Sent();
  EXPECT_EQ(server.Give(0, 0, 0, 1, {1, 1}), Arrival::kDuplicate);
  EXPECT_EQ(server.Sent(), "kValues->0 1v1x2;");
  EXPECT_EQ(server.Values(1), (std::vector<float>{9, 9}));
}

TEST(GroupStepsTest, AnAnswerThatIsOwedIsNotGivenEarlier) {
  StepsOfAServer server(kTogether);
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 1});
  EXPECT_EQ(server.Values(1), (std::vector<float>{9, 9}));
  EXPECT_EQ(server.Give(0, 0, 0, 1, {1, 1}), Arrival::kDuplicate);
  EXPECT_EQ(server.Sent(), "");
  server.Give(1, 1, 0, 1, {1, 1});
  EXPECT_EQ(server.Sent(), "kValues->0 1v2x2;kValues->1 1v2x2;");
}

TEST(GroupStepsTest, StepsBeforeTheFirstOneAreDone) {
  StepsOfAServer server("", kSumUpdater, "", 5);
  server.PutAll();
  EXPECT_EQ(server.steps.LastStep(0, 1), 4);
  EXPECT_EQ(server.Give(0, 0, 4, 1, {1, 1}), Arrival::kDuplicate);
  EXPECT_EQ(server.Give(0, 0, 5, 1, {1, 1}), Arrival::kTaken);
  EXPECT_EQ(server.steps.LastStep(0, 1), 5);
}

TEST(GroupStepsTest, UpdatesWaitForFirstValuesOfTheirSlice) {
  StepsOfAServer server("");
  server.Give(0, 0, 0, 1, {1, 2});
  EXPECT_EQ(server.Sent(), "");
  EXPECT_EQ(server.steps.held_bytes(), 8);
  server.PutAll();
  server.steps.Settle(1);
  EXPECT_EQ(server.Values(1), (std::vector<float>{9, 8}));
  EXPECT_EQ(server.steps.held_bytes(), 0);
}

TEST(GroupStepsTest, TellsOfEachUpdateWhenTheValuesAreThere) {
  StepsOfAServer server("");
  server.PutAll();
  std::vector<float> seen;
  server.steps.OnUpdate([&](int slice) { seen = server.Values(slice); });
  server.Give(0, 0, 0, 1, {1, 2});
  EXPECT_EQ(seen, (std::vector<float>{9, 8}));
}

TEST(GroupStepsTest, CountsTheUpdatesThatAGradientIsBehind) {
  StepsOfAServer server("nworker_groups: 2");
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 1}, 0);
  server.Give(0, 0, 1, 1, {1, 1}, 1);
  server.Sent();
  server.Give(1, 1, 0, 1, {1, 1}, 0);
  EXPECT_EQ(server.steps.counts().staleness.Histogram(), (std::vector<int64_t>{2, 0, 1}));
  server.out.Flush();
  ASSERT_EQ(server.sent.messages.size(), 1u);
  EXPECT_EQ(server.sent.messages[0].head.part(0).staleness(), 2);
}

TEST(GroupStepsTest, TellsNoStalenessToTheOnlyGroup) {
  StepsOfAServer server("");
  server.PutAll();
  server.Give(0, 0, 0, 1, {1, 1});
  server.out.Flush();
  EXPECT_FALSE(server.sent.messages[0].head.part(0).has_staleness());
}

TEST(GroupStepsTest, SendsNoFloatsToAClientThatSharesTheMemory) {
  StepsOfAServer server(kTwoWorkers);
  std::vector<float> a(3), b(2);
  GroupSteps steps({server.job,
                    server.topology,
                    server.table,
                    server.params,
                    server.clock,
                    {0, 0},
                    server.first,
                    {a.data(), b.data()}},
                   server.owners, &server.shard, &server.out, &server);
  server.PutAll();
  Frame values;
  steps.SendValues(0, 0, 0, &values);
  EXPECT_EQ(server.Sent(), "kValues->0 0v0x0;");
  EXPECT_EQ(values.size(), 0u);
  steps.SendValues(0, 0, 1, &values);
  EXPECT_EQ(server.Sent(), "kValues->1 0v0x3;");
  EXPECT_EQ(values.size(), 12u);
}

constexpr int64_t kThreeSeconds = 3'200'000'000;

TEST(GroupStepsTest, WaitsForNothingAtFirst) { EXPECT_EQ(StepsOfAServer("").steps.Waiting(), ""); }

TEST(GroupStepsTest, NamesTheProcessThatItWaitsFor) {
  StepsOfAServer server(kTwoWorkers);
  server.PutAll();
  server.Give(0, 0, 4, 1, {1, 2});
  server.clock.now = kThreeSeconds;
  EXPECT_EQ(server.steps.Waiting(),
            "step 4 of worker group 0 waits for process 1 to send slice 1 of param \"b\" of layer "
            "\"l\", since 3.2 s");
  server.Give(0, 1, 4, 1, {1, 2});
  EXPECT_EQ(server.steps.Waiting(), "");
}

TEST(GroupStepsTest, NamesTheLongestWait) {
  StepsOfAServer server(kTwoWorkers);
  server.PutAll();
  server.clock.now = kThreeSeconds;
  server.Give(0, 0, 0, 1, {1, 2});
  server.clock.now += kThreeSeconds;
  server.Give(0, 1, 0, 0, {1, 2, 3});
  EXPECT_EQ(server.steps.Waiting(),
            "step 0 of worker group 0 waits for process 1 to send slice 1 of param \"b\" of layer "
            "\"l\", since 3.2 s");
}

TEST(GroupStepsTest, WaitsForGroupsThatTakeStepsTogether) {
  StepsOfAServer server(kTogether);
  server.PutAll();
  server.Give(1, 1, 0, 1, {1, 2});
  server.clock.now = kThreeSeconds;
  EXPECT_EQ(server.steps.Waiting(),
            "step 0 of worker group 1 waits for other worker groups, since 3.2 s");
}

}  // namespace
}  // namespace singa
