// Tests which messages a server refuses, and why.
#include <gtest/gtest.h>

#include "support/cluster/server_test.h"

namespace singa {
namespace {

// Bad is a message that is refused once first values of version 5 are there, and the count that
// grows.
struct Bad {
  const char* name;
  int rank;
  const char* text;
  std::vector<std::vector<float>> payload;
  int64_t RefusedCounts::*count;
};
constexpr char kTo[] = "to { role: kServer } ";
constexpr char kClient0[] = "to { role: kServer } from { role: kClient } ";

const Bad kBad[] = {
    {"to nobody",
     0,
     "type: kGet from { role: kClient } to { role: kServer id: 1 }",
     {},
     &RefusedCounts::misrouted},
    {"a type for others", 0, "C type: kValues", {}, &RefusedCounts::misrouted},
    {"another process's client", 1, "C type: kGet part { slice: 0 }", {}, &RefusedCounts::sender},
    {"no such group",
     0,
     "T from { role: kClient group: 4294967295 } type: kGet",
     {},
     &RefusedCounts::sender},
    {"a group of other servers",
     2,
     "T from { role: kClient group: 1 id: 2 } type: kGet",
     {},
     &RefusedCounts::sender},
    {"a stub", 0, "T from { role: kStub } type: kPut", {}, &RefusedCounts::sender},
    {"a client that exchanges", 0, "C type: kSync group: 1", {}, &RefusedCounts::sender},
    {"a server of other slices",
     3,
     "T from { role: kServer group: 1 id: 1 } type: kSync group: 1",
     {},
     &RefusedCounts::sender},
    {"another's slice", 0, "C type: kGet part { slice: 2 }", {}, &RefusedCounts::malformed},
    {"no slice", 0, "C type: kGet part { slice: 4294967295 }", {}, &RefusedCounts::malformed},
    {"a slice twice",
     0,
     "C type: kGet part { slice: 0 } part { slice: 0 }",
     {},
     &RefusedCounts::malformed},
    {"no payload",
     0,
     "C type: kUpdate part { slice: 0 elements: 3 version: 5 }",
     {},
     &RefusedCounts::malformed},
    {"payload of nothing",
     0,
     "C type: kUpdate part { slice: 0 version: 5 }",
     {{1, 2, 3}},
     &RefusedCounts::malformed},
    {"short payload",
     0,
     "C type: kUpdate part { slice: 0 elements: 3 version: 5 }",
     {{1, 2}},
     &RefusedCounts::malformed},
    {"short slice",
     0,
     "C type: kUpdate part { slice: 0 elements: 2 version: 5 }",
     {{1, 2}},
     &RefusedCounts::malformed},
    {"endless payload",
     0,
     "C type: kUpdate part { slice: 0 elements: 4294967295 }",
     {{1, 2}},
     &RefusedCounts::malformed},
    {"a Get with floats",
     0,
     "C type: kGet part { slice: 1 elements: 2 }",
     {{1, 2}},
     &RefusedCounts::malformed},
    {"no values", 0, "C type: kPut part { slice: 1 }", {}, &RefusedCounts::malformed},
    {"a step below zero",
     0,
     "C type: kUpdate step: -1 part { slice: 0 elements: 3 version: 5 }",
     {{1, 2, 3}},
     &RefusedCounts::out_of_turn},
    {"the last step of all",
     0,
     "C type: kUpdate step: 9223372036854775807 part { slice: 0 elements: 3 version: 5 }",
     {{1, 2, 3}},
     &RefusedCounts::out_of_turn},
    {"values of the future",
     0,
     "C type: kUpdate part { slice: 0 elements: 3 version: 6 }",
     {{1, 2, 3}},
     &RefusedCounts::out_of_turn},
    {"a reply to nothing",
     2,
     "T from { role: kServer group: 1 } type: kSyncReply part { slice: 1 elements: 2 version: 1 }",
     {{1, 2}},
     &RefusedCounts::out_of_turn},
    {"a later exchange",
     2,
     "T from { role: kServer group: 1 } type: kSync group: 1 "
     "part { slice: 0 elements: 3 version: 2 }",
     {{1, 2, 3}},
     &RefusedCounts::out_of_turn},
    {"another's exchange",
     2,
     "T from { role: kServer group: 1 } type: kSync group: 0 "
     "part { slice: 0 elements: 3 version: 1 }",
     {{1, 2, 3}},
     &RefusedCounts::out_of_turn},
    {"an exchange with no master",
     2,
     "T from { role: kServer group: 1 } type: kSync group: 1 "
     "part { slice: 1 elements: 2 version: 1 }",
     {{1, 2}},
     &RefusedCounts::out_of_turn},
    {"squares that nobody needs",
     1,
     "T from { role: kServer id: 1 } type: kSquares squares: 1 squares: 1",
     {},
     &RefusedCounts::out_of_turn},
};

using RefusedMessages = ServerMessages;

TEST_F(RefusedMessages, WhatDoesNotFitChangesNothing) {
  PutAll();
  Answers();
  for (const Bad& bad : kBad) {
    SCOPED_TRACE(bad.name);
    std::string text = bad.text;
    if (text[0] == 'C') text = kClient0 + text.substr(1);
    if (text[0] == 'T') text = kTo + text.substr(1);
    const RefusedCounts before = server.refused();
    server.OnMessage(bad.rank, Text(text, bad.payload));
    EXPECT_EQ(server.refused().total(), before.total() + 1);
    EXPECT_EQ(server.refused().*bad.count, before.*bad.count + 1);
    EXPECT_EQ(Answers(), "");
    EXPECT_EQ(server.held_bytes(), 0);
  }
  EXPECT_EQ(server.shard().version(0), 5);
  EXPECT_EQ(server.shard().values(0)[0], 1);
}

// There are six workers, three in a process. Each process sends two sums.
TEST(RefusedSums, AnotherNumberOfSumsThanTheProcessHas) {
  const auto conf = JobOf(kSumUpdater, "nworkers_per_group: 6 nworkers_per_procs: 3");
  ClusterOfRoles cluster(conf, {{3}}, 0);
  cluster.Start({1, 2, 3});
  cluster.fate = [](Posted* posted) {
    WireMessage& head = posted->message.head;
    if (head.type() != WireMessage::kUpdate || head.from().id() != 1) return 1;
    head.mutable_part(0)->set_elements(3);
    posted->message.payload[0] = posted->message.payload[0].Part(0, 3 * sizeof(float));
    return 1;
  };
  cluster.Train(1, [](int, int, int64_t, int) { return std::vector<float>(6, 1); });
  EXPECT_EQ(cluster.server({0, 0}).refused().malformed, 1);
  EXPECT_EQ(cluster.Values(0), (std::vector<float>{1, 2, 3}));
  cluster.fate = nullptr;
}

}  // namespace
}  // namespace singa
