// Workers in several processes that share memory do what workers of one process do, bit for bit.
// Processes are threads here, each with all that a process has of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/apply/local_updates.h"
#include "train/reduce/local_exchange.h"

namespace singa {
namespace {

const std::vector<Shape> kShapes = {{40, 60}, {700, 500}, {7}, {300, 33}};
constexpr int64_t kTrainedSteps = 7;

struct Case {
  int workers = 3;
  int threads = 1;         // of each worker
  bool in_pieces = false;  // the gradient of the large param
  double clip_norm = 0;
  bool skip = false;
  int64_t bad_step = -1;  // when the last worker's gradient is not finite
  const ProgressDeadline* deadline = nullptr;
};

JobProto JobOf(const Case& one) {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->set_momentum(0.9);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.1);
  if (one.clip_norm > 0) job.mutable_updater()->set_clip_norm(static_cast<float>(one.clip_norm));
  if (one.skip) job.set_on_nonfinite(JobProto::kSkip);
  return job;
}

// In (-1, 1), the same for the same numbers.
float GradientAt(int worker, int64_t step, size_t param, int64_t i) {
  uint64_t x = static_cast<uint64_t>(
      ((step * 10 + worker) * 10 + static_cast<int64_t>(param)) * 1'000'000 + i);
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15;
  return static_cast<float>(static_cast<int32_t>(x >> 32)) / 2147483648.f;
}

struct Worker {
  Worker(const Case& one, LocalGroup* group, int place)
      : conf(one), number(place), exchange(group, place, &ctx) {
    ctx.state = &state;
    ctx.threads = one.threads;
    for (size_t p = 0; p < kShapes.size(); ++p) {
      params.push_back(
          std::make_unique<Param>(StrCat("w", p), "layer", "", ParamProto(), kShapes[p]));
      all.push_back(params[p].get());
    }
  }

  void Give(size_t p) {
    Param& param = *params[p];
    const int64_t row = param.size() / param.shape()[0];
    const bool bad = state.step == conf.bad_step && number + 1 == conf.workers;
    const GradientRows rows = [&](Context&, int64_t first, int64_t n, float* piece) {
      for (int64_t i = 0; i < n * row; ++i)
        piece[i] = GradientAt(number, state.step, p, first * row + i);
      if (bad) piece[0] = std::numeric_limits<float>::infinity();
    };
    if (param.sink)
      param.sink->Take(&param, rows);
    else
      rows(ctx, 0, param.shape()[0], param.grad.data());
    exchange.GradientReady(&param, state.step);
  }

  void Train(int64_t steps) {
    for (; state.step < steps; ++state.step) {
      for (size_t p = params.size(); p-- > 0;) Give(p);
      exchange.Finish(state.step);
    }
  }

  const Case conf;
  const int number;
  StepState state;
  Context ctx;
  LocalExchange exchange;
  std::vector<std::unique_ptr<Param>> params;
  std::vector<Param*> all;
};

// What a process has: workers [first, first + here) of its group.
struct Process {
  Process(const Case& one, int first, int here, const GroupMemory* memory, std::vector<Tensor>* own)
      : replica(JobOf(one)), updates(JobOf(one), &replica), group(one.workers, here) {
    group.SetDeadline(one.deadline);
    group.SetParams(kShapes);
    group.SetUpdates(&updates);
    for (int w = first; w < first + here; ++w)
      workers.push_back(std::make_unique<Worker>(one, &group, w));
    for (auto& worker : workers)
      for (size_t p = 0; p < kShapes.size(); ++p) {
        Param& param = *worker->params[p];
        if (!memory) param.data = (*own)[p];
        if (memory) param.data.Bind(memory->values(static_cast<int>(p)));
        if (memory && !(p == 1 && one.in_pieces))
          param.grad.Bind(memory->gradient(worker->number, static_cast<int>(p)));
      }
    if (memory) replica.BindShared(group.table(), workers[0]->all, memory->shared_states());
    updates.Bind(group.table(), workers[0]->all);
    if (memory) updates.Share(memory->verdict());
    if (memory) group.Share(*memory);
    for (auto& worker : workers)
      worker->exchange.Bind(worker->all, {false, one.in_pieces, false, false});
  }

  Replica replica;
  LocalUpdates updates;
  LocalGroup group;
  std::vector<std::unique_ptr<Worker>> workers;
};

void TrainAll(const std::vector<Process*>& processes, int64_t steps) {
  std::vector<std::thread> threads;
  for (Process* process : processes)
    for (auto& worker : process->workers)
      threads.emplace_back([one = worker.get(), steps] { one->Train(steps); });
  for (std::thread& thread : threads) thread.join();
}

struct SharedState {
  std::vector<float> floats;  // values and states of all slices
  std::vector<int64_t> counts;
  int64_t skips = 0;
};

SharedState StateOf(const Process& process) {
  SharedState trained;
  for (int s = 0; s < process.replica.table().size(); ++s) {
    const std::vector<float> floats = process.replica.Floats(s);
    trained.floats.insert(trained.floats.end(), floats.begin(), floats.end());
    trained.counts.push_back(process.replica.count_of(s));
  }
  trained.skips = process.updates.skips();
  return trained;
}

SharedState AsThreads(const Case& one) {
  std::vector<Tensor> values;
  for (const Shape& shape : kShapes) values.push_back(Tensor::Allocate(shape));
  Process process(one, 0, one.workers, nullptr, &values);
  TrainAll({&process}, kTrainedSteps);
  return StateOf(process);
}

// Zero-filled memory for the group, made by a process whose workers have `threads` each.
class Memory {
 public:
  explicit Memory(int workers, int threads = 1) : table_(kShapes) {
    const int64_t bytes = GroupMemory(table_, workers, 1, nullptr, 0).bytes();
    floats_ = Tensor::Allocate({bytes}, DType::kU8);
    memory_ = std::make_unique<GroupMemory>(table_, workers, 1, floats_.as<std::byte>(), threads);
  }
  const GroupMemory& operator*() const { return *memory_; }

 private:
  const SliceTable table_;
  Tensor floats_;
  std::unique_ptr<GroupMemory> memory_;
};

SharedState AsProcesses(const Case& one, int in_first) {
  const Memory memory(one.workers, one.threads);
  Process first(one, 0, in_first, &*memory, nullptr);
  Process second(one, in_first, one.workers - in_first, &*memory, nullptr);
  TrainAll({&first, &second}, kTrainedSteps);
  const SharedState trained = StateOf(first);
  EXPECT_EQ(trained.floats, StateOf(second).floats);
  return trained;
}

void ExpectTheSame(const Case& one) {
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
  const Case one = {.skip = true, .bad_step = 3};
  EXPECT_EQ(AsThreads(one).skips, 1);
  ExpectTheSame(one);
}

TEST(SharedGroupTest, AddsNumbersInOneOrder) {
  constexpr size_t kMany = 3 * SharedCounters::kNumbers + 5;
  const Memory memory(3);
  std::vector<std::unique_ptr<Process>> processes;
  for (int w = 0; w < 3; ++w)
    processes.push_back(std::make_unique<Process>(Case(), w, 1, &*memory, nullptr));
  std::vector<std::vector<double>> numbers(3);
  std::vector<std::thread> threads;
  for (int w = 0; w < 3; ++w)
    threads.emplace_back([&, w] {
      for (size_t i = 0; i < kMany; ++i) numbers[w].push_back((w == 0 ? 1e16 : 1) * (1. + i));
      processes[w]->workers[0]->exchange.Sum(numbers[w]);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kMany; ++i) {
    const double n = 1. + static_cast<double>(i);
    ASSERT_EQ(numbers[0][i], 1e16 * n + n + n) << i;
  }
  EXPECT_TRUE(numbers[1] == numbers[0] && numbers[2] == numbers[0]);
}

// Wherever it waits for the other process, which does nothing.
TEST(SharedGroupTest, AWorkerThatWaitsForALostProcessIsSentHome) {
  for (const bool in_pieces : {false, true}) {
    const Case one = {.workers = 2, .in_pieces = in_pieces};
    const Memory memory(2);
    Process first(one, 0, 1, &*memory, nullptr), lost(one, 1, 1, &*memory, nullptr);
    bool stopped = false;
    std::thread thread([&] {
      try {
        first.workers[0]->Train(1);
      } catch (const Stopped&) {
        stopped = true;
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    first.group.Stop();
    thread.join();
    EXPECT_TRUE(stopped);
    EXPECT_EQ(first.replica.count_of(0), 0);
  }
}

TEST(SharedGroupTest, NamesTheWorkerThatStandsStill) {
  for (const bool in_pieces : {false, true}) {
    const ProgressDeadline deadline(std::chrono::milliseconds(300));
    const Case one = {.workers = 2, .in_pieces = in_pieces, .deadline = &deadline};
    const Memory memory(2);
    Process first(one, 0, 1, &*memory, nullptr), still(one, 1, 1, &*memory, nullptr);
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
  const Case one = {.workers = 2, .clip_norm = GetParam(), .bad_step = 2};
  const Memory memory(2);
  Process first(one, 0, 1, &*memory, nullptr), second(one, 1, 1, &*memory, nullptr);
  std::vector<std::string> errors(2);
  std::vector<std::thread> threads;
  for (Process* process : {&first, &second})
    threads.emplace_back([&, process] {
      const bool is_first = process == &first;
      try {
        process->workers[0]->Train(kTrainedSteps);
      } catch (const Stopped&) {
      } catch (const std::exception& error) {
        errors[is_first ? 0 : 1] = error.what();
        (is_first ? second : first).group.Stop();  // as the stub of the other does
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
