// Tests which messages a server keeps until it can answer, and its answers.
#include "cluster/server/server.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/cluster/server_test.h"

namespace singa {
namespace {

TEST_F(ServerMessages, OwnsAboutHalf) { EXPECT_EQ(server.slices(), SliceSet({0, 1})); }

TEST_F(ServerMessages, GetsWaitForFirstValues) {
  FromClient(1, "type: kGet part { slice: 0 } part { slice: 1 }");
  EXPECT_EQ(Answers(), "");
  PutAll();
  EXPECT_EQ(Answers(), "kValues->1 0v5x3 1v5x2;");
  EXPECT_EQ(server.refused().total(), 0);
}

TEST_F(ServerMessages, GetsWaitForTheVersion) {
  PutAll();
  FromClient(1, "type: kGet part { slice: 0 version: 6 }");
  EXPECT_EQ(Answers(), "");
  FromClient(1, "type: kUpdate step: 0 part { slice: 0 version: 5 elements: 3 }", {{1, 1, 1}});
  FromClient(0, "type: kUpdate step: 0 part { slice: 0 version: 5 elements: 3 }", {{1, 1, 1}});
  // The answers to the Get and to the update travel together.
  EXPECT_EQ(Answers(), "kValues->0 0v6x3;kValues->1 0v6x3 0v6x3;");
}

TEST_F(ServerMessages, UpdatesWaitForFirstValues) {
  for (const int process : {1, 0})
    FromClient(process, "type: kUpdate step: 0 part { slice: 1 version: 5 elements: 2 }", {{1, 1}});
  EXPECT_EQ(Answers(), "");
  EXPECT_EQ(server.held_bytes(), 8);  // their sum
  PutAll();
  EXPECT_EQ(server.shard().values(1)[0], 2);
  EXPECT_EQ(server.held_bytes(), 0);
}

TEST_F(ServerMessages, AnEarlierUpdateBeforeFirstValuesIsNotAnswered) {
  for (const int step : {1, 0})
    FromClient(1, StrCat("type: kUpdate step: ", step, " part { slice: 1 version: 5 elements: 2 }"),
               {{1, 1}});
  EXPECT_EQ(Answers(), "");
  EXPECT_EQ(server.refused().duplicate, 1);
}

TEST_F(ServerMessages, SmallSlicesAreAnsweredTogether) {
  PutAll();
  for (const int process : {1, 0})
    FromClient(process,
               "type: kUpdate step: 0 part { slice: 1 version: 5 elements: 2 } "
               "part { slice: 0 version: 5 elements: 3 }",
               {{1, 1}, {1, 1, 1}});
  EXPECT_EQ(Answers(), "kValues->0 1v6x2 0v6x3;kValues->1 1v6x2 0v6x3;");
}

TEST_F(ServerMessages, ASecondPutChangesNothing) {
  PutAll();
  FromClient(0, "type: kPut part { slice: 0 elements: 3 version: 9 }", {{7, 7, 7}});
  EXPECT_EQ(server.shard().values(0)[0], 1);
  EXPECT_EQ(server.refused().duplicate, 1);
}

TEST_F(ServerMessages, ExchangesWaitForFirstValues) {
  FromServer({1, 0}, "type: kSync group: 1 part { slice: 0 version: 1 elements: 3 }", {{1, 1, 1}});
  FromServer({1, 0}, "type: kSync group: 1 part { slice: 0 version: 1 elements: 3 }", {{1, 1, 1}});
  EXPECT_EQ(server.refused().duplicate, 1);
  EXPECT_EQ(server.held_bytes(), 12);
  PutAll();
  EXPECT_EQ(Answers(), "kSyncReply->0 0v1x3;");
  EXPECT_EQ(server.shard().values(0)[0], 2);
}

TEST_F(ServerMessages, AnExchangeFollowsTheOneInFlight) {
  PutAll();
  server.Exchange();
  EXPECT_EQ(Answers(), "kSync->0 1v1x2;");  // the other slice has its master here
  server.Exchange();
  EXPECT_EQ(Answers(), "");
  EXPECT_TRUE(server.exchanging());
  FromServer({1, 0}, "type: kSyncReply part { slice: 1 version: 1 elements: 2 }", {{6, 6}});
  EXPECT_EQ(Answers(), "kSync->0 1v2x2;");
  FromServer({1, 0}, "type: kSyncReply part { slice: 1 version: 2 elements: 2 }", {{7, 7}});
  EXPECT_FALSE(server.exchanging());
  EXPECT_EQ(server.shard().values(1)[0], 7);
}

TEST_F(ServerMessages, AnExchangeThatIsNotFiniteIsReported) {
  PutAll();
  FromServer({1, 0}, "type: kSync group: 1 part { slice: 0 version: 1 elements: 3 }",
             {{1, std::nanf(""), 1}});
  ASSERT_EQ(diverged.size(), 1u);
  EXPECT_EQ(diverged[0],
            "the change of server group 1 in slice 0 of param \"a\" of layer \"l\" is not finite");
  EXPECT_EQ(server.shard().values(0)[0], 1);
}

TEST_F(ServerMessages, PayloadMayBeUnaligned) {
  std::vector<char> bytes(13);
  const float floats[] = {8, 9, 10};
  std::memcpy(bytes.data() + 1, floats, sizeof floats);
  Message message = Text(
      "to { role: kServer } from { role: kClient } type: kPut "
      "part { slice: 0 elements: 3 }",
      {});
  message.payload.push_back(Frame(nullptr, bytes.data() + 1, sizeof floats));
  server.OnMessage(0, message);
  EXPECT_EQ(server.shard().values(0)[2], 10);
}

TEST_F(ServerMessages, KnowsWhatItHasAlready) {
  PutAll();
  const std::string update =
      StrCat("type: kUpdate step: 3 part { slice: 0 elements: 3 version: 5 }");
  FromClient(0, update, {{1, 1, 1}});
  FromClient(0, update, {{1, 1, 1}});
  EXPECT_EQ(server.refused().duplicate, 1);
  FromClient(1, "type: kUpdate step: 4 part { slice: 0 elements: 3 version: 5 }", {{1, 1, 1}});
  EXPECT_EQ(server.refused().out_of_turn, 1);
  FromClient(1, update, {{1, 1, 1}});
  FromClient(1, update, {{1, 1, 1}});
  FromClient(0, "type: kUpdate step: 2 part { slice: 0 elements: 3 version: 5 }", {{1, 1, 1}});
  EXPECT_EQ(server.refused().duplicate, 3);
  EXPECT_EQ(server.shard().version(0), 6);
  EXPECT_EQ(server.shard().values(0)[0], -1);
}

}  // namespace
}  // namespace singa
