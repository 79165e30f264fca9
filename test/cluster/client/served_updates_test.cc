// Tests what a process of a worker group sends to servers, and what its threads wait for.
#include "cluster/client/served_updates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "support/cluster/cluster_of_roles.h"
#include "support/comm/memory_links.h"
#include "support/train/recorded_events.h"

namespace singa {
namespace {

// This is process 0 of a worker group of one or two processes. Its server has slices 0 (3 floats)
// and 1 (2 floats).
struct UpdatesOfAProcess {
  explicit UpdatesOfAProcess(bool skip, int processes = 1, const std::string& updater = "",
                             const std::string& compression = "")
      : job(JobOf(StrCat(kSumUpdater, " ", updater), StrCat("all_reduce { ", compression, " }"),
                  skip ? "on_nonfinite: kSkip" : "")),
        topology(JobOf("", StrCat("nworkers_per_group: ", processes)).cluster()),
        links(processes),
        between(links[0], topology.ProcessNodes(0)),
        updates(job, &between, &deadline) {
    updates.Connect({topology, table, params, clock, 0, 0, 0, false, *codec}, {a.data(), b.data()},
                    &sent);
  }
  // Returns a message of the server with values that hold `step`. All are the number of steps.
  Message Values(int64_t step, const std::vector<int>& slices, double norm = 0) const {
    Message message;
    message.head.set_type(WireMessage::kValues);
    *message.head.mutable_from() = ServerAddress({0, 0});
    *message.head.mutable_to() = ClientAddress(0, 0);
    for (const int slice : slices) {
      SlicePart* const part = message.head.add_part();
      part->set_slice(slice);
      part->set_version(step + 1);
      part->set_step(step);
      part->set_norm(norm);
      part->set_elements(table[slice].size);
      const auto value = static_cast<float>(step + 1);
      message.payload.push_back(FrameOf(std::vector<float>(table[slice].size, value)));
    }
    return message;
  }
  void Answer(int64_t step, const std::vector<int>& slices, double norm = 0) {
    updates.Deliver(0, Values(step, slices, norm));
  }
  // Gives the client first values, all 0, before a thread waits for them.
  void Begin() {
    updates.Do(
        [this](Client& client) {
          client.GetAll(0);
          client.OnMessage(0, Values(-1, {0, 1}));
        },
        [](Client& client) { return client.ready(); });
    sent.messages.clear();
  }
  void Submit(int slice, int64_t step, std::vector<float> sum) {
    float* const sums[] = {sum.data()};
    updates.Submit(ctx, slice, step, sums);
  }
  void Finish(int64_t step, int worker = 0) { updates.Finish(ctx, step, worker, 1, {}); }
  // Returns the step and the parts of each message that was sent since the last call.
  std::string Sent() {
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      text += StrCat(WireMessage::Type_Name(message.head.type()), " ", message.head.step());
      for (const SlicePart& part : message.head.part())
        text += StrCat(" ", part.slice(), "x", part.elements());
      text += ";";
    }
    return text;
  }

  const JobProto job;
  const std::unique_ptr<Codec> codec = MakeGradientCodec(job.cluster());
  const Topology topology;
  const SliceTable table{{{3}, {2}}};
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}};
  HeldClock clock;
  SentMessages sent;
  std::vector<float> a = {0, 0, 0}, b = {0, 0};
  const ProgressDeadline deadline{std::chrono::milliseconds(1)};
  MemoryLinks links;
  LinkCollective between;
  Context ctx;
  ServedUpdates updates;
};

constexpr char kAboveTwo[] = "compression: kThreshold threshold: 2.5";

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
  EXPECT_EQ(ErrorIn([&] { process.updates.LossNotFinite("loss", 3); }),
            StrCat(kExitDiverged, ": step 3: the loss of layer \"loss\" is not finite"));
}

TEST(ServedUpdatesTest, AStepWithoutAFiniteGradientMayBeSkipped) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.Submit(0, 0, {1, 1, 1});
  process.Submit(1, 0, {std::nanf(""), 1});
  process.Finish(0);
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x3 1x0;");
  EXPECT_TRUE(process.updates.skipped(0));
  EXPECT_EQ(process.updates.skips(), 1);
  EXPECT_EQ(ErrorIn([&] { process.updates.Check(); }), "");
}

TEST(ServedUpdatesTest, ALossThatIsNotFiniteSkipsTheStep) {
  UpdatesOfAProcess process(true);
  process.Begin();
  process.updates.LossNotFinite("loss", 0);
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

// Each process bounds its own gradient, here of norm 5, by 5 / sqrt(2 processes).
TEST(ServedUpdatesTest, AGradientIsClippedBeforeWhatIsLeftOut) {
  UpdatesOfAProcess process(false, 2, "clip_norm: 5", kAboveTwo);
  process.Begin();
  std::vector<float> sums[] = {{3, 0, 0}, {4, 0}};
  for (int slice : {1, 0}) {
    float* const data[] = {sums[slice].data()};
    process.updates.Submit(process.ctx, slice, 0, data);
  }
  EXPECT_EQ(process.Sent(), "") << "the norm is not known";
  process.Finish(0);
  EXPECT_EQ(process.Sent(), "kUpdate 0 0x3 1x2;");
  const float half = std::sqrt(0.5f);
  EXPECT_FLOAT_EQ(sums[0][0], 3 * half);
  EXPECT_FLOAT_EQ(process.updates.encoder()->state(0)[0], 3 * half) << "below the threshold";
  EXPECT_EQ(process.updates.encoder()->state(1)[0], 0) << "4 x half was sent";
  EXPECT_NEAR(process.updates.GradientNorm(0), 5 * std::sqrt(2), 1e-5);
}

TEST(ServedUpdatesTest, AStepHasANormUnlessItIsSkipped) {
  for (const float first : {3.f, std::nanf("")}) {
    UpdatesOfAProcess process(true, 1, "clip_norm: 50", kAboveTwo);
    process.Begin();
    std::vector<float> sums[] = {{first, 0, 0}, {4, 0}};
    for (int slice : {0, 1}) {
      float* const data[] = {sums[slice].data()};
      process.updates.Submit(process.ctx, slice, 0, data);
    }
    process.Finish(0);
    EXPECT_EQ(process.updates.skipped(0), first != 3);
    EXPECT_EQ(StrCat(process.updates.GradientNorm(0)), first == 3 ? "5" : "nan");
  }
}

TEST(ServedUpdatesTest, ASkippedStepLeavesNothingForTheNext) {
  for (const double lacks : {0., 1.}) {
    UpdatesOfAProcess process(true, 2, "", kAboveTwo);
    process.Begin();
    std::vector<float> sums[] = {{1, 2, 0}, {4, 0}};
    for (int slice : {0, 1}) {
      float* const data[] = {sums[slice].data()};
      process.updates.Submit(process.ctx, slice, 0, data);
    }
    std::thread other([&] {
      double dropped = lacks;
      LinkCollective(process.links[1], process.topology.ProcessNodes(0))
          .AllReduceOfRanks({&dropped, 1});
    });
    process.Finish(0);
    other.join();
    EXPECT_EQ(process.updates.skipped(0), lacks > 0);
    EXPECT_EQ(process.Sent(), lacks > 0 ? "kUpdate 0 0x0 1x0;" : "kUpdate 0 0x3 1x2;");
    EXPECT_EQ(process.updates.encoder()->state(0)[1], lacks > 0 ? 0 : 2);
  }
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
