// Tests what a process of a worker group sends to servers, and what its threads wait for.
#include "cluster/client/served_updates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "support/cluster/updates_of_a_process.h"
#include "support/heard_log.h"
#include "support/train/recorded_events.h"

namespace singa {
namespace {

// Runs `call`; returns the error's code and text, or "".
template <typename Call>
std::string ErrorIn(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return StrCat(error.code(), ": ", error.what());
  }
  return "";
}

TEST(ServedUpdatesTest, SendsTheGradientsOfAStep) {
  UpdatesOfAProcess process(false);
  process.Begin();
  process.Submit(1, 0, {1, 1});
  process.Submit(0, 0, {1, 1, 1});
  process.Finish(0);
  EXPECT_EQ(process.Sent(), "kUpdate 0 1x2 0x3;");
}

TEST(ServedUpdatesTest, AParamIsAwaitedUntilItsAnswerIsThere) {
  UpdatesOfAProcess process(false);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {1, 1});
  process.Finish(0);
  process.Answer(0, {1});
  process.updates.Await(1, 1);
  EXPECT_EQ(process.b, (std::vector<float>{1, 1}));
  EXPECT_EQ(process.a, (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ErrorIn([&] { process.updates.Await(0, 1); }),
            StrCat(kExitStalled,
                   ": server 0 of group 0 in process 0: no answer for 0.0 s about the "
                   "update of step 0 of slice 0 (param \"a\")"));
}

TEST(ServedUpdatesTest, TellsOnceThatAnAnswerHasCome) {
  UpdatesOfAProcess process(false);
  process.Begin();
  RecordedEvents events;
  process.updates.set_events(&events);
  for (const int slice : {0, 1}) process.Submit(slice, 0, std::vector<float>(3 - slice));
  process.Finish(0);
  process.Answer(0, {1});
  EXPECT_EQ(events.heard, std::vector<std::string>{"fresh 1 in step 0"});
  process.Answer(0, {0});
  EXPECT_EQ(events.heard, (std::vector<std::string>{"fresh 1 in step 0", "fresh 0 in step 0"}));
}

TEST(ServedUpdatesTest, SaysThatNobodyAnswersIfItAwaitsNothingElse) {
  UpdatesOfAProcess process(false);
  process.Begin();
  EXPECT_EQ(ErrorIn([&] { process.updates.Do([](Client&) {}, [](Client&) { return false; }); }),
            StrCat(kExitStalled, ": no server answers"));
}

TEST(ServedUpdatesTest, AGradientThatIsNotFiniteIsAnErrorAndNotSent) {
  for (const char* clips : {"", "clip_norm: 5"}) {
    UpdatesOfAProcess process(false, 1, clips, kAboveTwo);
    process.Begin();
    process.Submit(1, 3, {std::nanf(""), 1});
    const std::string text =
        StrCat(kExitDiverged, ": step 3: the gradient of param \"b\" of layer \"l\" is not finite");
    EXPECT_EQ(ErrorIn([&] { process.updates.Check(); }), text);
    EXPECT_EQ(ErrorIn([&] { process.updates.Await(0, 9); }), text);
    EXPECT_EQ(process.Sent(), "");
  }
}

TEST(ServedUpdatesTest, ALossThatIsNotFiniteIsAnError) {
  UpdatesOfAProcess process(false);
  EXPECT_EQ(ErrorIn([&] { process.updates.LossNotFinite("loss", 3, 0); }),
            StrCat(kExitDiverged, ": step 3: the loss of layer \"loss\" is not finite"));
}

TEST(ServedUpdatesTest, NamesTheProcessWhoseGradientIsNotFinite) {
  UpdatesOfAProcess process(false, 2);
  process.Begin();
  process.Submit(1, 3, {std::nanf(""), 1});
  EXPECT_EQ(ErrorIn([&] { process.updates.Check(); }),
            StrCat(kExitDiverged,
                   ": step 3: the gradient of param \"b\" of layer \"l\" is not finite, in process "
                   "0"));
}

TEST(ServedUpdatesTest, NamesTheWorkerWhoseLossIsNotFinite) {
  UpdatesOfAProcess process(false, 2);
  EXPECT_EQ(
      ErrorIn([&] { process.updates.LossNotFinite("loss", 3, 1); }),
      StrCat(kExitDiverged,
             ": step 3: the loss of layer \"loss\" is not finite, at worker 1, in process 1"));
}

TEST(ServedUpdatesTest, AStepWithoutAFiniteGradientMayBeSkipped) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {std::nanf(""), 1});
  const HeardLog log;
  process.Finish(0);
  EXPECT_TRUE(
      log.Has("step 0: the gradient of param \"b\" of layer \"l\" is not finite; the step "
              "is skipped"));
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x3 1x0;");
  EXPECT_TRUE(process.updates.skipped(0));
  EXPECT_EQ(process.updates.skips(), 1);
  EXPECT_EQ(ErrorIn([&] { process.updates.Check(); }), "");
}

TEST(ServedUpdatesTest, ALossThatIsNotFiniteSkipsTheStep) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.updates.LossNotFinite("loss", 0, 0);
  process.Finish(0);
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x0 1x0;");
  EXPECT_TRUE(process.updates.skipped(0));
}

TEST(ServedUpdatesTest, AFiniteStepIsNotSkipped) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {1, 1});
  process.Finish(0);
  EXPECT_FALSE(process.updates.skipped(0));
  EXPECT_EQ(process.updates.skips(), 0);
}

TEST(ServedUpdatesTest, AStepThatAnotherProcessLacksIsSkipped) {
  UpdatesOfAProcess process(true, 2);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {1, 1});
  std::thread other([&] {
    double dropped = 1;
    LinkCollective(process.links[1], process.topology.ProcessNodes(0))
        .AllReduceOfRanks({&dropped, 1});
  });
  process.Finish(0);
  other.join();
  EXPECT_TRUE(process.updates.skipped(0));
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x3 1x2;");
}

TEST(ServedUpdatesTest, OnlyTheFirstWorkerEndsAStep) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.Finish(0, 1);
  EXPECT_EQ(process.Sent(), "");
  EXPECT_FALSE(process.updates.skipped(0));
}

TEST(ServedUpdatesTest, TheNormOfAStepComesWithItsAnswer) {
  UpdatesOfAProcess process(false);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {1, 1});
  process.Finish(0);
  process.Answer(0, {0, 1}, 2.5);
  EXPECT_EQ(process.updates.GradientNorm(0), 2.5);
}

TEST(ServedUpdatesTest, AFailureOfTheJobEndsAllWaits) {
  UpdatesOfAProcess process(false);
  process.Begin();
  process.updates.Fail(std::make_exception_ptr(PeerError("process 1 was lost")));
  process.updates.Fail(std::make_exception_ptr(PeerError("a later one")));
  const std::string first = StrCat(kExitPeerLost, ": process 1 was lost");
  EXPECT_EQ(ErrorIn([&] { process.updates.Check(); }), first);
  EXPECT_EQ(ErrorIn([&] { process.updates.Await(0, 0); }), first);
}

TEST(ServedUpdatesTest, MessagesAfterTheEndChangeNothing) {
  UpdatesOfAProcess process(false);
  process.Begin();
  process.Submit(1, 0, {1, 1});
  process.Finish(0);
  process.updates.Close();
  process.Answer(0, {1});
  EXPECT_EQ(process.b, (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace singa
