// Tests that workers in several processes that share memory compute the same as workers of one
// process, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "support/train/shared_group.h"

namespace singa {
namespace {

struct SharedState {
  std::vector<float> floats;  // values and states of all slices
  std::vector<int64_t> counts;
  int64_t skips = 0;
};

SharedState StateOf(const SharedProcess& process) {
  SharedState trained;
  for (int s = 0; s < process.replica.table().size(); ++s) {
    const std::vector<float> floats = process.replica.Floats(s);
    trained.floats.insert(trained.floats.end(), floats.begin(), floats.end());
    trained.counts.push_back(process.replica.count_of(s));
  }
  trained.skips = process.updates.skips();
  return trained;
}

SharedState AsThreads(const SharedCase& one) {
  std::vector<Tensor> values;
  for (const Shape& shape : kSharedShapes) values.push_back(Tensor::Allocate(shape));
  SharedProcess process(one, 0, one.workers, nullptr, &values);
  TrainShared({&process}, kSharedSteps);
  return StateOf(process);
}

SharedState AsProcesses(const SharedCase& one, int in_first) {
  const SharedMemoryBlock memory(one.workers, one.threads);
  SharedProcess first(one, 0, in_first, &*memory, nullptr);
  SharedProcess second(one, in_first, one.workers - in_first, &*memory, nullptr);
  TrainShared({&first, &second}, kSharedSteps);
  const SharedState trained = StateOf(first);
  EXPECT_EQ(trained.floats, StateOf(second).floats);
  return trained;
}

void ExpectTheSame(const SharedCase& one) {
  const SharedState threads = AsThreads(one);
  for (int in_first = 1; in_first < one.workers; ++in_first) {
    const SharedState processes = AsProcesses(one, in_first);
    EXPECT_TRUE(processes.floats == threads.floats);
    EXPECT_EQ(processes.counts, threads.counts);
    EXPECT_EQ(processes.skips, threads.skips);
  }
}

TEST(SharedGroupTest, ProcessesComputeTheBitsOfThreads) {
  for (const int workers : {3, 4, 5, 6, 7}) ExpectTheSame({.workers = workers});
}

TEST(SharedGroupTest, AlsoWhereALargeGradientComesInPieces) {
  for (const int workers : {3, 6}) ExpectTheSame({.workers = workers, .in_pieces = true});
  ExpectTheSame({.workers = 2, .threads = 2, .in_pieces = true});
}

TEST(SharedGroupTest, ClipsByTheNormOfTheGroupsGradient) { ExpectTheSame({.clip_norm = 0.5}); }

TEST(SharedGroupTest, DropsAStepThatOneWorkerCannotUse) {
  const SharedCase one = {.skip = true, .bad_step = 3};
  EXPECT_EQ(AsThreads(one).skips, 1);
  ExpectTheSame(one);
}

TEST(SharedGroupTest, AddsNumbersInOneOrder) {
  constexpr size_t kMany = 3 * MemoryBoard::kChunkBytes / sizeof(double) + 5;
  const SharedMemoryBlock memory(3);
  std::vector<std::unique_ptr<SharedProcess>> processes;
  for (int w = 0; w < 3; ++w)
    processes.push_back(std::make_unique<SharedProcess>(SharedCase(), w, 1, &*memory, nullptr));
  std::vector<std::vector<double>> numbers(3);
  std::vector<std::thread> threads;
  for (int w = 0; w < 3; ++w)
    threads.emplace_back([&, w] {
      for (size_t i = 0; i < kMany; ++i) numbers[w].push_back((w == 0 ? 1e16 : 1) * (1. + i));
      processes[w]->workers[0]->exchange->Sum(numbers[w]);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kMany; ++i) {
    const double n = 1. + static_cast<double>(i);
    ASSERT_EQ(numbers[0][i], 1e16 * n + n + n) << i;
  }
  EXPECT_TRUE(numbers[1] == numbers[0] && numbers[2] == numbers[0]);
}

// The worker waits for the other process, which does nothing.
TEST(SharedGroupTest, AWorkerThatWaitsForALostProcessIsSentHome) {
  for (const bool in_pieces : {false, true}) {
    const SharedCase one = {.workers = 2, .in_pieces = in_pieces};
    const SharedMemoryBlock memory(2);
    SharedProcess first(one, 0, 1, &*memory, nullptr), lost(one, 1, 1, &*memory, nullptr);
    bool stopped = false;
    std::thread thread([&] {
      try {
        first.workers[0]->Train(1);
      } catch (const Stopped&) {
        stopped = true;
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    first.reduction.group().Stop();
    thread.join();
    EXPECT_TRUE(stopped);
    EXPECT_EQ(first.replica.count_of(0), 0);
  }
}

TEST(SharedGroupTest, NamesTheWorkerThatStandsStill) {
  for (const bool in_pieces : {false, true}) {
    const ProgressDeadline deadline(std::chrono::milliseconds(300));
    const SharedCase one = {.workers = 2, .in_pieces = in_pieces, .deadline = &deadline};
    const SharedMemoryBlock memory(2);
    SharedProcess first(one, 0, 1, &*memory, nullptr), still(one, 1, 1, &*memory, nullptr);
    try {
      first.workers[0]->Train(1);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitStalled);
      EXPECT_NE(std::string(error.what()).find("worker 1 of the group stands still"),
                std::string::npos)
          << error.what();
    }
  }
}

class SharedGroupFailure : public ::testing::TestWithParam<double> {};

TEST_P(SharedGroupFailure, IsToldByWhoeverFoundItAndIsAppliedByNobody) {
  const SharedCase one = {.workers = 2, .clip_norm = GetParam(), .bad_step = 2};
  const SharedMemoryBlock memory(2);
  SharedProcess first(one, 0, 1, &*memory, nullptr), second(one, 1, 1, &*memory, nullptr);
  std::vector<std::string> errors(2);
  std::vector<std::thread> threads;
  for (SharedProcess* process : {&first, &second})
    threads.emplace_back([&, process] {
      const bool is_first = process == &first;
      try {
        process->workers[0]->Train(kSharedSteps);
      } catch (const Stopped&) {
      } catch (const std::exception& error) {
        errors[is_first ? 0 : 1] = error.what();
        (is_first ? second : first).reduction.group().Stop();  // as the other process's stub does
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE((errors[0] + errors[1]).find("step 2: the gradient of param \"w"), std::string::npos)
      << errors[0] << errors[1];
  EXPECT_TRUE(errors[0].empty() || errors[1].empty());
  for (const float value : StateOf(first).floats) ASSERT_TRUE(std::isfinite(value));
}

INSTANTIATE_TEST_SUITE_P(ClipNorms, SharedGroupFailure, ::testing::Values(0, 0.5));
}  // namespace
}  // namespace singa
