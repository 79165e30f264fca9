// Tests the processes of a job as threads of one process, over real sockets.
#include "cluster/process/job_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "singa/base/error.h"
#include "support/skipped_clock.h"
#include "support/threaded_job.h"

namespace singa {
namespace {

JobProto ProtoOf(int groups, int workers) {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_cluster()->set_nworker_groups(groups);
  job.mutable_cluster()->set_nworkers_per_group(workers);
  job.mutable_cluster()->set_start_timeout(30);
  return job;
}

ControlMessage GrantOf(int64_t steps) {
  ControlMessage control;
  control.mutable_grant()->set_steps(steps);
  return control;
}

// Returns each group's steps, and first values.
ControlMessage::Begin FirstSteps(const std::vector<int64_t>& steps) {
  ControlMessage::Begin begin = BeginAt(steps, 9, "");
  begin.mutable_first_values()->set_checksum(9);
  begin.mutable_first_values()->add_files("net.bin");
  return begin;
}

std::string WhatOf(const std::function<void()>& call, ExitCode* code = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (code) *code = error.code();
    return error.what();
  }
  return "";
}

TEST(JobProcess, ProgressOfAnyThreadRenewsTheDeadline) {
  JobProto proto = ProtoOf(1, 2);
  proto.mutable_cluster()->set_stall_timeout(1);
  SkippedClock clock;
  ThreadedJob job(proto, &clock);
  job.MeetAll();
  const ProgressDeadline& deadline = job[0].deadline();
  const auto long_ago = ProgressDeadline::Clock::now() - deadline.longest();
  EXPECT_TRUE(deadline.Ends(long_ago));
  job[1].NoteProgress(7);
  clock.Skip(6 * kSecond);  // a beat each 5 s reports the loss
  for (int look = 0; look < 6000 && deadline.Ends(long_ago); ++look) {
    job[1].follower()->AskToEnd();  // this wakes both
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(deadline.Ends(long_ago));
}

TEST(JobProcess, WhatRankZeroTellsArrivesInOrder) {
  ThreadedJob job(ProtoOf(1, 3));
  job.MeetAll();
  for (int i = 0; i < 300; ++i) job[0].leader()->TellAll(GrantOf(i));
  ControlMessage begins;
  *begins.mutable_begin() = FirstSteps({7, 8});
  job[0].leader()->TellAll(begins);
  for (int rank = 1; rank < 3; ++rank) {
    for (int i = 0; i < 300; ++i) {
      const ControlMessage order = job[rank].follower()->Next();
      ASSERT_TRUE(order.has_grant());
      ASSERT_EQ(order.grant().steps(), i);
    }
    EXPECT_EQ(job[rank].follower()->Next().begin().SerializeAsString(),
              FirstSteps({7, 8}).SerializeAsString());
  }
}

TEST(JobProcess, RankZeroHasTheAnswerOfEach) {
  ThreadedJob job(ProtoOf(3, 1));
  job.MeetAll();
  std::vector<std::thread> others;
  for (int rank = 1; rank < 3; ++rank)
    others.emplace_back([&job, rank] {
      EXPECT_TRUE(job[rank].follower()->Next().has_hold());
      ControlMessage held;
      held.mutable_held()->add_group()->set_steps(10 * rank);
      job[rank].follower()->Answer(held);
      const ControlMessage order = job[rank].follower()->Next();
      EXPECT_TRUE(order.has_checkpoint_request());
      EXPECT_EQ(order.checkpoint_request().group_steps_size(), 1);
      EXPECT_EQ(order.checkpoint_request().group_steps(0), 30);
      // One state has several pieces, another has none.
      job[rank].follower()->GiveState(0, std::string(rank == 1 ? 1'000'001 : 0, 'x'));
    });
  const auto answers = job[0].leader()->HoldAll();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].held().group(0).steps(), 10);
  EXPECT_EQ(answers[1].held().group(0).steps(), 20);
  const std::vector<std::string> states = job[0].leader()->CollectStates({30});
  for (std::thread& thread : others) thread.join();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0], std::string(1'000'001, 'x'));
  EXPECT_EQ(states[1], "");
}

TEST(JobProcess, AllHearOfAGroupByWayOfRankZero) {
  Heard heard[3];
  ThreadedJob job(ProtoOf(3, 1));
  job.MeetAll();
  for (int rank = 0; rank < 3; ++rank) job[rank].peers().Listen(&heard[rank]);
  job[1].peers().NoteSteps(1, 5);
  job[1].peers().NoteSteps(2, 6);  // steps of another process are not believed
  ControlMessage::Row row;
  row.set_group(1);
  job[1].peers().SendRow(row);
  job[1].peers().NoteLeft(1);
  heard[0].Await({"steps 1 5", "row 1", "left 1"});
  heard[2].Await({"steps 1 5", "left 1"});
  for (int rank = 0; rank < 3; ++rank) job[rank].peers().Forget();
}

TEST(JobProcess, WhoStopsTheJobTellsAllWhy) {
  ThreadedJob job(ProtoOf(1, 3));
  job.MeetAll();
  std::thread first([&] {
    ExitCode code = kExitOk;
    const std::string what = WhatOf([&] { job[0].leader()->HoldAll(); }, &code);
    EXPECT_NE(what.find("process 1 (127.0.0.1:"), std::string::npos) << what;
    EXPECT_NE(what.find("worker 1 of group 0) has ended: w1 is not finite"), std::string::npos)
        << what;
    EXPECT_EQ(code, kExitDiverged);
  });
  job[2].follower()->Next();  // takes the order to hold
  job[1].StopOthers(DivergedError("w1 is not finite"));
  first.join();
  EXPECT_THROW(job[2].follower()->Next(), ToldError);
}

TEST(JobProcess, AReasonOfAnyLengthIsTold) {
  ThreadedJob job(ProtoOf(1, 2));
  job.MeetAll();
  job[1].StopOthers(DivergedError("w" + std::string(200'000, '1') + " is not finite"));
  const std::string what = WhatOf([&] { job[0].leader()->HoldAll(); });
  EXPECT_NE(what.find("has ended: w11111"), std::string::npos) << what;
  EXPECT_EQ(what.substr(what.size() - 5), "11...");
  EXPECT_LT(what.size(), 1200u);
}

TEST(JobProcess, WhoSaysNothingIsNamed) {
  JobProto proto = ProtoOf(1, 2);
  proto.mutable_cluster()->set_stall_timeout(1);
  ThreadedJob job(proto);
  job.MeetAll();
  ExitCode codes[2] = {};
  std::string what[2];
  std::thread first([&] {
    what[0] = WhatOf([&] { job[0].leader()->AwaitAll(ControlMessage::kState); }, &codes[0]);
  });
  what[1] = WhatOf([&] { job[1].follower()->Next(); }, &codes[1]);
  first.join();
  EXPECT_EQ(what[0], "process 1 stands still: no state from it for 11.5 s");
  EXPECT_EQ(what[1], "process 0 stands still: no word from it for 11.5 s");
  EXPECT_EQ(codes[0], kExitStalled);
  EXPECT_EQ(codes[1], kExitStalled);
}

TEST(JobProcess, AnotherTakesThePlaceOfALostGroup) {
  ThreadedJob job(ProtoOf(3, 1));
  job.MeetAll();
  job[0].leader()->NoteStart(FirstSteps({4, 5, 6}));
  for (const int rank : {1, 2}) job[rank].follower()->TellFilled();
  job[0].leader()->AwaitFilled();
  Heard first;
  job[0].peers().Listen(&first);
  job[2].peers().NoteSteps(2, 9);
  first.Await({"steps 2 9"});
  job.Lose(1);
  job.Start(1);
  EXPECT_TRUE(job[1].stub().Meet());
  const ControlMessage told = job[1].follower()->First();
  EXPECT_TRUE(told.has_take_place());
  EXPECT_EQ(told.take_place().begin().SerializeAsString(),
            FirstSteps({4, 5, 6}).SerializeAsString());
  first.Await({"steps 2 9", "replaced 1 5"});
  Heard another;
  job[1].peers().Listen(&another);
  job[1].follower()->AskForSteps();
  another.Await({"steps 2 9"});
  for (const int rank : {0, 1, 2}) EXPECT_NO_THROW(job[rank].control().Check());
  for (const int rank : {0, 1}) job[rank].peers().Forget();
}

TEST(JobProcess, SaysOnceThatTheJobCannotGoOn) {
  std::atomic<int> said{0}, said_by_who_was_sent_home{0};
  ThreadedJob job(ProtoOf(1, 2), nullptr, [&](int rank) {
    return JobCalls{.failed = [&, rank](const std::exception_ptr&) {
      ++(rank == 0 ? said : said_by_who_was_sent_home);
    }};
  });
  job.MeetAll();
  job[0].Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  job[0].Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  job[1].EndWaits(std::make_exception_ptr(ToldError(kExitOk, "the job has ended")));
  job[1].Fail(std::make_exception_ptr(PeerError("process 0 was lost")));
  EXPECT_EQ(said, 1);
  EXPECT_EQ(said_by_who_was_sent_home, 0);
  EXPECT_THROW(job[1].follower()->Next(), ToldError);
}

TEST(JobProcess, RankZeroHearsWhoIsAskedToEnd) {
  std::promise<void> asked;
  ThreadedJob job(ProtoOf(1, 3), nullptr,
                  [&](int) { return JobCalls{.asked = [&asked] { asked.set_value(); }}; });
  job.MeetAll();
  job[2].follower()->AskToEnd();
  EXPECT_EQ(asked.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(JobProcess, WhoDoesNotComeIsNamed) {
  JobProto proto = ProtoOf(1, 3);
  proto.mutable_cluster()->set_start_timeout(1);
  ThreadedJob job(proto);
  const std::string what = WhatOf([&] { job[0].stub().Meet(); });
  EXPECT_NE(what.find("processes 1, 2 did not connect"), std::string::npos) << what;
}

TEST(JobProcess, WhoIsSilentIsLost) {
  JobProto proto = ProtoOf(1, 3);
  proto.mutable_cluster()->set_peer_timeout(4);
  ThreadedJob job(proto);
  job.MeetAll();
  job.Lose(2);
  ExitCode code = kExitOk;
  const std::string what = WhatOf([&] { job[1].follower()->Next(); }, &code);
  EXPECT_NE(what.find("process 2 (127.0.0.1:"), std::string::npos) << what;
  EXPECT_NE(what.find("was lost"), std::string::npos) << what;
  EXPECT_EQ(code, kExitPeerLost);
}

}  // namespace
}  // namespace singa
