// Processes of a job as threads of one, over real sockets.
#include "cluster/job_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

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

class ThreadedJob {
 public:
  explicit ThreadedJob(const JobProto& job)
      : job_(job), secrets_(JobSecrets::Make(Topology(job.cluster()).processes())) {
    processes_.resize(secrets_.keys.size());
    Start(0);
  }
  void Start(int rank) {
    ProcessPlace place = {rank, secrets_.ForRank(rank), std::nullopt};
    if (rank > 0) place.coordinator = processes_[0]->endpoint();
    processes_[rank] = std::make_unique<JobProcess>(job_, place);
  }
  void MeetAll() {
    std::vector<std::thread> threads;
    for (size_t rank = 1; rank < processes_.size(); ++rank) Start(static_cast<int>(rank));
    for (const auto& process : processes_)
      threads.emplace_back([&process] { EXPECT_NO_THROW(process->Meet()); });
    for (std::thread& thread : threads) thread.join();
  }
  void Lose(int rank) { processes_[rank].reset(); }
  JobProcess& operator[](int rank) { return *processes_[rank]; }

 private:
  const JobProto job_;
  const JobSecrets secrets_;
  std::vector<std::unique_ptr<JobProcess>> processes_;
};

std::string WhatOf(const std::function<void()>& call, ExitCode* code = nullptr) {
  try {
    call();
  } catch (const Error& error) {
    if (code) *code = error.code();
    return error.what();
  }
  return "";
}

TEST(JobProcess, WhoGoesOnRenewsThePatienceOfTheOthers) {
  JobProto proto = ProtoOf(1, 2);
  proto.mutable_cluster()->set_stall_timeout(1);
  proto.mutable_cluster()->set_peer_timeout(4);  // a beat a second
  ThreadedJob job(proto);
  job.MeetAll();
  const Patience& patience = job[0].patience();
  const auto long_ago = Patience::Clock::now() - patience.longest();
  EXPECT_TRUE(patience.Ends(long_ago));
  job[1].NoteProgress(7);
  const auto end = Patience::Clock::now() + std::chrono::seconds(30);
  while (patience.Ends(long_ago) && Patience::Clock::now() < end) std::this_thread::yield();
  EXPECT_FALSE(patience.Ends(long_ago));
}

TEST(JobProcess, WhatRankZeroTellsArrivesInOrder) {
  ThreadedJob job(ProtoOf(1, 3));
  job.MeetAll();
  for (int i = 0; i < 300; ++i) job[0].TellAll(kGrant, i);
  job[0].TellAll(kBegin, 0, {7, 8}, "step7");
  for (int rank = 1; rank < 3; ++rank) {
    for (int i = 0; i < 300; ++i) {
      const JobProcess::Order order = job[rank].Next();
      ASSERT_EQ(order.what, kGrant);
      ASSERT_EQ(order.step, i);
    }
    const JobProcess::Order begin = job[rank].Next();
    EXPECT_EQ(begin.what, kBegin);
    EXPECT_EQ(begin.numbers, (std::vector<int64_t>{7, 8}));
    EXPECT_EQ(begin.text, "step7");
  }
}

TEST(JobProcess, RankZeroHasTheAnswerOfEach) {
  ThreadedJob job(ProtoOf(3, 1));
  job.MeetAll();
  std::vector<std::thread> others;
  for (int rank = 1; rank < 3; ++rank)
    others.emplace_back([&job, rank] {
      EXPECT_EQ(job[rank].Next().what, kHold);
      job[rank].Answer(kHeld, {rank, 10 * rank});
      EXPECT_EQ(job[rank].Next().what, kCollect);
      // Of several pieces, of none.
      job[rank].GiveState(std::string(rank == 1 ? 1'000'001 : 0, 'x'));
    });
  const auto answers = job[0].HoldAll();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].numbers, (std::vector<int64_t>{1, 10}));
  EXPECT_EQ(answers[1].numbers, (std::vector<int64_t>{2, 20}));
  const std::vector<std::string> states = job[0].CollectStates();
  for (std::thread& thread : others) thread.join();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0], std::string(1'000'001, 'x'));
  EXPECT_EQ(states[1], "");
}

// Keeps what is heard of groups until all of it has come.
class Heard final : public GroupEvents {
 public:
  void OnSteps(int group, int64_t steps) override { Note(StrCat("steps ", group, " ", steps)); }
  void OnLeft(int group) override { Note(StrCat("left ", group)); }
  void OnRow(const WireMessage& row) override { Note(StrCat("row ", row.group())); }
  void OnFailure() override { Note("failure"); }
  void Await(const std::vector<std::string>& all) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return said_.size() >= all.size(); });
    EXPECT_EQ(said_, all);
  }

 private:
  void Note(std::string text) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(text));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> said_;
};

TEST(JobProcess, AllHearOfAGroupByWayOfRankZero) {
  Heard heard[3];
  ThreadedJob job(ProtoOf(3, 1));
  job.MeetAll();
  for (int rank = 0; rank < 3; ++rank) job[rank].Listen(&heard[rank]);
  job[1].NoteSteps(1, 5);
  job[1].NoteSteps(2, 6);  // of another process: nobody believes it
  WireMessage row;
  row.set_group(1);
  job[1].SendRow(row);
  job[1].NoteLeft(1);
  heard[0].Await({"steps 1 5", "row 1", "left 1"});
  heard[2].Await({"steps 1 5", "left 1"});
  for (int rank = 0; rank < 3; ++rank) job[rank].Forget();
}

TEST(JobProcess, WhoStopsTheJobTellsAllWhy) {
  ThreadedJob job(ProtoOf(1, 3));
  job.MeetAll();
  std::thread first([&] {
    ExitCode code = kExitOk;
    const std::string what = WhatOf([&] { job[0].HoldAll(); }, &code);
    EXPECT_NE(what.find("process 1 (127.0.0.1:"), std::string::npos) << what;
    EXPECT_NE(what.find("worker 1 of group 0) has ended: w1 is not finite"), std::string::npos)
        << what;
    EXPECT_EQ(code, kExitDiverged);
  });
  job[2].Next();  // kHold
  job[1].StopOthers(DivergedError("w1 is not finite"));
  first.join();
  EXPECT_THROW(job[2].Next(), ToldError);
}

TEST(JobProcess, RankZeroHearsWhoIsAskedToEnd) {
  ThreadedJob job(ProtoOf(1, 3));
  std::promise<void> asked;
  job[0].OnAsked([&asked] { asked.set_value(); });
  job.MeetAll();
  job[2].AskToEnd();
  EXPECT_EQ(asked.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(JobProcess, WhoDoesNotComeIsNamed) {
  JobProto proto = ProtoOf(1, 3);
  proto.mutable_cluster()->set_start_timeout(1);
  ThreadedJob job(proto);
  const std::string what = WhatOf([&] { job[0].Meet(); });
  EXPECT_NE(what.find("2 of 3 processes did not come"), std::string::npos) << what;
}

TEST(JobProcess, WhoIsSilentIsLost) {
  JobProto proto = ProtoOf(1, 3);
  proto.mutable_cluster()->set_peer_timeout(4);
  ThreadedJob job(proto);
  job.MeetAll();
  job.Lose(2);
  ExitCode code = kExitOk;
  const std::string what = WhatOf([&] { job[1].Next(); }, &code);
  EXPECT_NE(what.find("process 2 (127.0.0.1:"), std::string::npos) << what;
  EXPECT_NE(what.find("was lost"), std::string::npos) << what;
  EXPECT_EQ(code, kExitPeerLost);
}

}  // namespace
}  // namespace singa
