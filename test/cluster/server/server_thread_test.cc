// Tests waits for a server's thread.
#include "cluster/server/server_thread.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/cluster/cluster_of_roles.h"

namespace singa {
namespace {

class ServerThreadTest : public ::testing::Test {
 protected:
  std::string WhatOfDo(const std::function<bool(Server&)>& done) {
    try {
      thread_.Do([](Server&) {}, done);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled);
      return error.what();
    }
    return "";
  }

  const JobProto job_ = JobOf(kSumUpdater, "nworkers_per_group: 2");
  const SliceTable table_{{Shape{3}}};
  const std::vector<ServedParam> params_ = {{"a", "l", {}}};
  const Topology topology_{job_.cluster()};
  HeldClock clock_;
  SentMessages sent_;
  ActivityMark mark_;
  const ProgressDeadline deadline_{std::chrono::milliseconds(1000)};
  ServerThread thread_{{job_, topology_, table_, params_, clock_, {0, 0}, {0}},
                       &sent_,
                       &mark_,
                       &deadline_,
                       [](const std::exception_ptr&) {}};
};

TEST_F(ServerThreadTest, DoesWhatItIsGiven) {
  bool done = false;
  thread_.Do([&](Server&) { done = true; }, [](Server&) { return true; });
  EXPECT_TRUE(done);
}

TEST_F(ServerThreadTest, SaysWhatItWaitsForWhereNobodyGoesOn) {
  Message update;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "to { role: kServer } from { role: kClient } type: kUpdate step: 4 "
      "part { slice: 0 version: 4 elements: 3 }",
      &update.head));
  update.payload.push_back(FrameOf({1, 2, 3}));
  thread_.Post(0, update);
  const auto never = [](Server&) { return false; };
  EXPECT_EQ(WhatOfDo(never),
            "server 0 of group 0 stands still, and nothing in the job made progress for 1.0 s: "
            "step 4 of worker "
            "group 0 waits for process 1 to send slice 0 of param \"a\" of layer \"l\", since 0.0 "
            "s");
}

TEST_F(ServerThreadTest, OrThatOtherServersDoNotAnswer) {
  EXPECT_EQ(WhatOfDo([](Server&) { return false; }),
            "server 0 of group 0 stands still, and nothing in the job made progress for 1.0 s: "
            "other servers have "
            "not answered");
}

}  // namespace
}  // namespace singa
