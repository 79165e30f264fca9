// Tests trials of code that may end its process or hang.
#include "base/system/trial.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace singa::trial {
namespace {

constexpr std::chrono::seconds kLong{20};

TEST(Trial, WorkThatReturnsChangesNothingHere) {
  int number = 1;
  const TrialEnd end = RunTrial([&] { number = 2; }, kLong);
  EXPECT_EQ(end.outcome, TrialEnd::kReturned);
  EXPECT_EQ(number, 1);
}

TEST(Trial, TellsTheExceptionOrTheFirstLineOfWorkThatEnds) {
  const TrialEnd threw = RunTrial([] { throw std::runtime_error("no such device"); }, kLong);
  EXPECT_EQ(threw.outcome, TrialEnd::kEnded);
  EXPECT_EQ(threw.said, "no such device");
  const auto exits = [] {
    std::fputs("-----\nfirst\nsecond\n", stderr);
    ::_exit(0);
  };
  const TrialEnd ended = RunTrial(exits, kLong);
  EXPECT_EQ(ended.outcome, TrialEnd::kEnded) << "although its code is 0";
  EXPECT_EQ(ended.said, "first");
  EXPECT_EQ(RunTrial([] { std::abort(); }, kLong).outcome, TrialEnd::kEnded);
}

TEST(Trial, WorkThatHangsIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  const TrialEnd end = RunTrial([] { ::pause(); }, std::chrono::seconds(1));
  EXPECT_EQ(end.outcome, TrialEnd::kLate);
  EXPECT_LT(std::chrono::steady_clock::now() - start, kLong);
}

}  // namespace
}  // namespace singa::trial
