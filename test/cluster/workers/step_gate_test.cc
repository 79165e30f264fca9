// Tests which groups wait for each other between steps.
#include "cluster/workers/step_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "singa/base/error.h"

namespace singa {
namespace {

TEST(StepGateTest, NobodyWaitsWithoutABound) {
  StepGate gate(2, 0, 0);
  for (int64_t step = 0; step < 100; ++step) EXPECT_TRUE(gate.Pass(0, step));
  EXPECT_TRUE(gate.Pass(1, 0));
  EXPECT_EQ(gate.steps(0), 99);
}

TEST(StepGateTest, AGroupWaitsForTheSlowestWithinTheBound) {
  StepGate gate(3, 2, 0);
  std::atomic<int64_t> fast{0};
  std::thread thread([&] {
    for (int64_t step = 0; step < 10; ++step) {
      gate.Pass(0, step);
      fast = step;
    }
  });
  while (fast < 2) std::this_thread::yield();
  for (int64_t step = 0; step < 7; ++step) {
    gate.Pass(1, step);
    gate.Pass(2, step);
    EXPECT_LE(fast, step + 2);
  }
  gate.Leave(1);  // a group that has left is waited for no more
  gate.Leave(2);
  thread.join();
  EXPECT_EQ(fast, 9);
}

TEST(StepGateTest, OthersBeginAfterTheFirstHasWarmedUp) {
  StepGate gate(2, 1, 5);  // the bound does not count before step 5
  std::atomic<bool> begun{false};
  std::thread thread([&] {
    gate.Pass(1, 0);
    begun = true;
  });
  for (int64_t step = 0; step < 5; ++step) {
    EXPECT_TRUE(gate.Pass(0, step));
    EXPECT_FALSE(begun);
  }
  gate.Pass(0, 5);
  thread.join();
  EXPECT_TRUE(begun);
}

TEST(StepGateTest, HeldGroupsStandStillBetweenSteps) {
  StepGate gate(3, 0, 0);
  std::atomic<int> in_step{0};
  std::atomic<bool> more{true};
  const auto run = [&](int group) {
    for (int64_t step = 0; more && gate.Pass(group, step); ++step) {
      ++in_step;
      std::this_thread::yield();
      --in_step;
    }
    gate.Leave(group);
  };
  std::thread one(run, 1), two(run, 2);
  for (int i = 0; i < 50; ++i) {
    gate.HoldOthers(0);
    for (int look = 0; look < 100; ++look) ASSERT_EQ(in_step, 0);
    const int64_t steps = gate.steps(1);
    std::this_thread::yield();
    EXPECT_EQ(gate.steps(1), steps);
    gate.Go();
    std::this_thread::yield();
  }
  more = false;
  one.join();
  two.join();
  EXPECT_TRUE(gate.AwaitOthers(0, std::chrono::minutes(1)));
}

std::string StallOf(const std::function<void()>& wait) {
  try {
    wait();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
    return error.what();
  }
  return "";
}

class StepGateDeadline : public ::testing::Test {
 protected:
  const ProgressDeadline deadline_{std::chrono::milliseconds(100)};
  StepGate gate_{3, 2, 0, &deadline_};
};

TEST_F(StepGateDeadline, NamesTheSlowestGroupThatStandsStill) {
  gate_.SetSteps(0, 5);
  gate_.SetSteps(1, 3);
  EXPECT_EQ(StallOf([&] { gate_.Pass(0, 6); }),
            "worker group 2 stands still: it has done 0 steps, while group 0 waits for it; "
            "nothing in the job made progress for 0.1 s");
  gate_.Leave(2);
  EXPECT_EQ(StallOf([&] { gate_.Pass(0, 6); }).substr(0, 53),
            "worker group 1 stands still: it has done 3 steps, whi");
}

TEST_F(StepGateDeadline, NamesWhoHoldsAll) {
  gate_.HoldOthers(0);
  EXPECT_EQ(StallOf([&] { gate_.Pass(1, 0); }),
            "worker group 0 stands still: it holds the others, while group 1 waits for it; "
            "nothing in the job made progress for 0.1 s");
  gate_.Go();
  gate_.HoldOthers(StepGate::kNoGroup);
  EXPECT_EQ(StallOf([&] { gate_.Pass(1, 0); }).substr(0, 49),
            "process 0 stands still: it holds the others, whil");
}

// Steps that the group's first process has begun may be under way in others when the group is held.
TEST(StepGateTest, AGroupThatFollowsTakesEachStepThatItMay) {
  StepGate gate(2, 1, 100);  // neither bound nor warm-up concerns the group
  gate.NoteHere(1);
  gate.FollowOtherGate(1);
  gate.AllowSteps(1, 2);
  EXPECT_TRUE(gate.Pass(1, 0));
  gate.SetSteps(1, 1);
  std::thread holder([&] { gate.HoldOthers(StepGate::kNoGroup); });
  EXPECT_TRUE(gate.Pass(1, 1));  // ends the one step, and begins the other
  std::atomic<bool> done{false};
  std::thread waiter([&] {
    gate.AwaitSteps(1, 3);
    done = true;
  });
  std::thread member([&] {
    EXPECT_TRUE(gate.Pass(1, 2));
    gate.SetSteps(1, 3);
    EXPECT_FALSE(gate.Pass(1, 3));
  });
  while (gate.steps(1) < 2) std::this_thread::yield();
  EXPECT_FALSE(done);
  gate.AllowSteps(1, 1);  // a permission is not taken back
  gate.AllowSteps(1, 3);
  waiter.join();
  holder.join();
  gate.Stop();
  member.join();
}

TEST_F(StepGateDeadline, NamesTheGroupThatHasStepsToTakeBeforeTheLimit) {
  gate_.NoteHere(1);
  gate_.SetLimit(2);
  EXPECT_EQ(StallOf([&] { gate_.HoldOthers(0); }).substr(0, 40),
            "worker group 1 stands still in step 0, w");
}

TEST_F(StepGateDeadline, NamesTheFirstProcessThatBeginsNoStep) {
  gate_.FollowOtherGate(1);
  EXPECT_EQ(StallOf([&] { gate_.Pass(1, 0); }).substr(0, 55),
            "the first process of worker group 1 begins no step, whi");
  EXPECT_EQ(StallOf([&] { gate_.AwaitSteps(1, 1); }).substr(0, 41),
            "worker group 1 stands still in step 0, wh");
}

TEST_F(StepGateDeadline, NamesTheGroupThatDoesNotEndItsStep) {
  EXPECT_TRUE(gate_.Pass(0, 0));
  EXPECT_TRUE(gate_.Pass(1, 2));
  EXPECT_EQ(StallOf([&] { gate_.HoldOthers(0); }),
            "worker group 1 stands still in step 2, while others wait for its end; nothing in the "
            "job made progress for 0.1 s");
}

TEST(StepGateTest, StopEndsEveryWait) {
  StepGate gate(2, 1, 0);
  EXPECT_TRUE(gate.Pass(0, 0));
  EXPECT_TRUE(gate.Pass(0, 1));
  std::thread thread([&] { EXPECT_FALSE(gate.Pass(0, 2)); });
  gate.Stop();
  thread.join();
  EXPECT_FALSE(gate.Pass(1, 0));
  EXPECT_TRUE(gate.AwaitOthers(0, std::chrono::minutes(1)));
}

// Groups take steps together. A hold waits for the steps that they may still take.
TEST(StepGate, HoldsGroupsAtTheLimit) {
  StepGate gate(3, 0, 0);
  for (const int group : {0, 1}) gate.NoteHere(group);  // the third is elsewhere
  gate.SetLimit(2);
  std::atomic<bool> holds{false};
  std::thread holder([&] {
    gate.HoldOthers(0);  // no group is in a step yet
    holds = true;
  });
  ASSERT_TRUE(gate.Pass(1, 0));
  ASSERT_TRUE(gate.Pass(1, 1)) << "a step before the limit, while the others are held";
  EXPECT_FALSE(holds);
  std::atomic<bool> passed{false};
  std::thread other([&] { passed = gate.Pass(1, 2); });
  holder.join();
  EXPECT_FALSE(passed) << "the limit";
  gate.Go();
  gate.SetLimit(3);
  other.join();
  EXPECT_TRUE(passed);
}

}  // namespace
}  // namespace singa
