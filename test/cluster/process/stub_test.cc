// Tests the stubs of processes that are threads of one process, over real sockets.
#include "cluster/process/stub.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "cluster/protocol/addresses.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/skipped_clock.h"

namespace singa {
namespace {

// Notes what a stub tells of, as texts.
class NotedEvents final : public StubEvents {
 public:
  void OnMessage(int rank, Message message) override {
    Note(StrCat("message ", message.head.step(), " of ", rank));
  }
  void OnProgress(int rank) override { Note(StrCat("progress of ", rank)); }
  bool OnReplaced(int rank) override {
    Note(StrCat("replaced ", rank));
    return may_replace;
  }
  void OnLost(std::exception_ptr error) override {
    try {
      std::rethrow_exception(error);
    } catch (const ToldError& told) {
      Note(StrCat("told ", told.code(), ": ", told.what()));
    } catch (const Error& other) {
      Note(StrCat("lost ", other.code(), ": ", other.what()));
    }
  }
  // Returns the first note with `text`; "" if none comes within 30 s.
  std::string Await(const std::string& text) {
    std::unique_lock lock(mutex_);
    std::string found;
    changed_.wait_for(lock, std::chrono::seconds(30), [&] {
      for (const std::string& note : notes_)
        if (found.empty() && note.find(text) != std::string::npos) found = note;
      return !found.empty();
    });
    return found;
  }
  std::vector<std::string> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  std::atomic<bool> may_replace{false};

 private:
  void Note(std::string text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(text));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

// The job has two processes with a worker each.
class StubTest : public ::testing::Test {
 protected:
  StubTest() { Start(0); }
  void Start(int rank) {
    ProcessPlace place = {rank, secrets_.ForRank(rank), std::nullopt};
    if (rank > 0) place.coordinator = stubs_[0]->endpoint();
    stubs_[rank] = std::make_unique<Stub>(conf_, topology_, place, 0, &events_[rank], &clock_);
  }
  void MeetBoth() {
    Start(1);
    stubs_[0]->Open();
    EXPECT_TRUE(stubs_[1]->Meet());
    EXPECT_TRUE(stubs_[0]->Meet());
  }
  // Lets the time of beats pass until `rank` loses the other process. Returns the note of it.
  std::string AwaitLoss(int rank) {
    for (int beat = 0; beat < 1000 && events_[rank].notes().empty(); ++beat) {
      const int64_t before = stubs_[rank]->bytes_sent();
      clock_.Skip(6 * kSecond);
      stubs_[rank]->Post(To(1 - rank, beat));  // wakes the thread, which beats, too
      while (stubs_[rank]->bytes_sent() == before && events_[rank].notes().empty())
        std::this_thread::yield();
    }
    return events_[rank].Await("lost");
  }
  // Returns a message to the client of the process.
  static Message To(int process, int64_t step) {
    Message message;
    message.head.set_type(WireMessage::kValues);
    *message.head.mutable_to() = ClientAddress(0, process);
    *message.head.mutable_from() = ServerAddress({0, 0});
    message.head.set_step(step);
    return message;
  }

  ClusterProto conf_ =
      JobOf(kSumUpdater, "nworkers_per_group: 2 start_timeout: 30 peer_timeout: 20").cluster();
  const Topology topology_{conf_};
  const JobSecrets secrets_ = JobSecrets::Make(2);
  SkippedClock clock_;
  NotedEvents events_[2];
  std::unique_ptr<Stub> stubs_[2];  // last: their threads use the above
};

TEST_F(StubTest, IsNotMetBeforeAllHaveCome) {
  EXPECT_FALSE(stubs_[0]->met());
  MeetBoth();
  EXPECT_TRUE(stubs_[0]->met());
  EXPECT_TRUE(stubs_[1]->met());
}

TEST_F(StubTest, MeetEndsWhenTheCallerGivesUp) {
  EXPECT_FALSE(stubs_[0]->Meet([] { return true; }));
  EXPECT_FALSE(stubs_[0]->met());
}

TEST_F(StubTest, RankZeroKnowsWhereTheOthersRun) {
  EXPECT_EQ(stubs_[0]->host(1).pid, 0);
  MeetBoth();
  EXPECT_EQ(stubs_[0]->host(1).pid, getpid());
}

TEST_F(StubTest, MessagesArriveInOrderWithTheRankOfTheirSender) {
  MeetBoth();
  for (int64_t step = 1; step <= 3; ++step) stubs_[0]->Post(To(1, step));
  EXPECT_EQ(events_[1].Await("message 3"), "message 3 of 0");
  const std::vector<std::string> notes = events_[1].notes();
  EXPECT_EQ(notes,
            (std::vector<std::string>{"message 1 of 0", "message 2 of 0", "message 3 of 0"}));
}

TEST_F(StubTest, CountsTheBytesOfMessages) {
  MeetBoth();
  EXPECT_TRUE(stubs_[0]->Drain(30));
  const int64_t before = stubs_[0]->bytes_sent();
  stubs_[0]->Post(To(1, 1));
  EXPECT_TRUE(stubs_[0]->Drain(30));
  EXPECT_GT(stubs_[0]->bytes_sent(), before);
  EXPECT_GT(stubs_[1]->bytes_received(), 0);
}

TEST_F(StubTest, DrainEndsWhenTheMessagesHaveArrived) {
  EXPECT_FALSE(stubs_[0]->Drain(30));  // its thread does not run
  MeetBoth();
  stubs_[0]->Post(To(1, 1));
  EXPECT_TRUE(stubs_[0]->Drain(30));
  EXPECT_EQ(events_[1].notes(), (std::vector<std::string>{"message 1 of 0"}));
}

TEST_F(StubTest, ABeatTellsTheProgressOfWorkers) {
  MeetBoth();
  stubs_[1]->NoteProgress(5);
  clock_.Skip(6 * kSecond);  // a beat is due
  stubs_[1]->Post(To(0, 1));
  EXPECT_EQ(events_[0].Await("progress"), "progress of 1");
}

TEST_F(StubTest, StopTellsTheOthersWhy) {
  MeetBoth();
  stubs_[0]->StopOthers(kExitDiverged, "step 3: the loss is not finite");
  const std::string told = events_[1].Await("told");
  EXPECT_TRUE(told.starts_with(StrCat("told ", kExitDiverged, ": process 0 (127.0.0.1:"))) << told;
  EXPECT_TRUE(
      told.ends_with("worker 0 of group 0, server 0 of group 0) has ended: step 3: the loss "
                     "is not finite"))
      << told;
  EXPECT_FALSE(stubs_[1]->lost_leader());
}

TEST_F(StubTest, AStopIsToldToItsOwnerOnce) {
  MeetBoth();
  stubs_[0]->StopOthers(kExitDiverged, "first");
  EXPECT_TRUE(stubs_[0]->Drain(30));
  stubs_[0]->StopOthers(kExitDiverged, "second");
  EXPECT_TRUE(stubs_[0]->Drain(30));
  stubs_[1]->AcknowledgeEnd(30);
  EXPECT_EQ(events_[1].notes().size(), 1u);
}

TEST_F(StubTest, NothingIsSentAfterAStop) {
  MeetBoth();
  stubs_[0]->StopOthers(kExitDiverged, "why");
  stubs_[0]->Post(To(1, 1));
  EXPECT_TRUE(stubs_[0]->Drain(30));
  EXPECT_NE(events_[1].Await("told"), "");
  EXPECT_EQ(events_[1].notes().size(), 1u);
}

TEST_F(StubTest, ASilentProcessIsLost) {
  MeetBoth();
  stubs_[1].reset();
  const std::string lost = AwaitLoss(0);
  EXPECT_TRUE(lost.starts_with(StrCat("lost ", kExitPeerLost, ": process 1 (127.0.0.1:"))) << lost;
  EXPECT_NE(lost.find("worker 1 of group 0) was lost: "), std::string::npos) << lost;
  EXPECT_FALSE(stubs_[0]->lost_leader());
}

TEST_F(StubTest, ALostLeaderIsKnown) {
  MeetBoth();
  EXPECT_FALSE(stubs_[1]->lost_leader());
  stubs_[0].reset();
  EXPECT_NE(AwaitLoss(1).find("process 0 ("), std::string::npos);
  EXPECT_TRUE(stubs_[1]->lost_leader());
}

TEST_F(StubTest, AProcessMayTakeThePlaceOfALostOne) {
  events_[0].may_replace = true;
  MeetBoth();
  stubs_[1].reset();
  Start(1);
  EXPECT_TRUE(stubs_[1]->Meet());
  EXPECT_EQ(events_[0].Await("replaced"), "replaced 1");
  stubs_[0]->Post(To(1, 7));
  EXPECT_EQ(events_[1].Await("message"), "message 7 of 0");
}

TEST_F(StubTest, AReplacementThatTheJobCannotTakeEndsIt) {
  MeetBoth();
  stubs_[1].reset();
  Start(1);
  stubs_[1]->Open();
  const std::string lost = events_[0].Await("lost");
  EXPECT_TRUE(lost.ends_with("was lost: another took its place")) << lost;
}

TEST_F(StubTest, AProcessThatDoesNotComeIsNamed) {
  const auto time_passes = [this] {
    clock_.Skip(31 * kSecond);
    stubs_[0]->Post(To(1, 0));  // wakes the thread
    return false;
  };
  try {
    stubs_[0]->Meet(time_passes);
    ADD_FAILURE() << "no error";
  } catch (const PeerError& error) {
    EXPECT_NE(std::string(error.what()).find("process 1 did not connect"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace singa
