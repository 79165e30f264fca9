// These are processes of one host that train a group in shared memory. Each is a thread here, with
// its own copy of all that a process has.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "singa/base/str_cat.h"
#include "train/apply/replica_updates.h"
#include "train/reduce/group_exchange.h"
#include "train/reduce/group_memory.h"
#include "train/reduce/piece_plan.h"

namespace singa {

inline const std::vector<Shape> kSharedShapes = {{40, 60}, {700, 500}, {7}, {300, 33}};
inline constexpr int64_t kSharedSteps = 7;

struct SharedCase {
  int workers = 3;
  int threads = 1;         // number of each worker's threads
  bool in_pieces = false;  // the gradient of the large param
  double clip_norm = 0;
  bool skip = false;
  int64_t bad_step = -1;  // when the last worker's gradient is not finite
  const ProgressDeadline* deadline = nullptr;
};

inline JobProto SharedJobOf(const SharedCase& one) {
  JobProto job;
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->set_momentum(0.9);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.1);
  if (one.clip_norm > 0) job.mutable_updater()->set_clip_norm(static_cast<float>(one.clip_norm));
  if (one.skip) job.set_on_nonfinite(JobProto::kSkip);
  return job;
}

// Returns a number in (-1, 1), which depends on the arguments alone.
inline float SharedGradientAt(int worker, int64_t step, size_t param, int64_t i) {
  uint64_t x = static_cast<uint64_t>(
      ((step * 10 + worker) * 10 + static_cast<int64_t>(param)) * 1'000'000 + i);
  x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15;
  return static_cast<float>(static_cast<int32_t>(x >> 32)) / 2147483648.f;
}

struct SharedWorker {
  SharedWorker(const SharedCase& one, int place) : conf(one), number(place) {
    ctx.state = &state;
    ctx.threads = one.threads;
    for (size_t p = 0; p < kSharedShapes.size(); ++p) {
      params.push_back(
          std::make_unique<Param>(StrCat("w", p), "layer", "", ParamProto(), kSharedShapes[p]));
      all.push_back(params[p].get());
    }
  }

  void Give(size_t p) {
    Param& param = *params[p];
    const int64_t row = param.size() / param.shape()[0];
    const bool bad = state.step == conf.bad_step && number + 1 == conf.workers;
    const GradientRows rows = [&](Context&, int64_t first, int64_t n, float* piece) {
      for (int64_t i = 0; i < n * row; ++i)
        piece[i] = SharedGradientAt(number, state.step, p, first * row + i);
      if (bad) piece[0] = std::numeric_limits<float>::infinity();
    };
    if (param.sink)
      param.sink->Consume(&param, rows);
    else
      rows(ctx, 0, param.shape()[0], param.grad.data());
    exchange->GradientReady(&param, state.step);
  }

  void Train(int64_t steps) {
    for (; state.step < steps; ++state.step) {
      for (size_t p = params.size(); p-- > 0;) Give(p);
      exchange->Finish(state.step);
    }
  }

  const SharedCase conf;
  const int number;
  StepState state;
  Context ctx;
  std::vector<std::unique_ptr<Param>> params;
  std::vector<Param*> all;
  std::optional<GroupExchange> exchange;
};

// SharedProcess is one process, with workers [first, first + here) of its group.
struct SharedProcess {
  SharedProcess(const SharedCase& one, int first, int here, const GroupMemory* memory,
                std::vector<Tensor>* own)
      : replica(SharedJobOf(one)),
        updates(SharedJobOf(one), &replica),
        reduction(SliceTable(kSharedShapes), &updates,
                  {.ranks = {0, one.workers},
                   .group = one.workers,
                   .here = here,
                   .deadline = one.deadline},
                  memory) {
    for (int w = first; w < first + here; ++w)
      workers.push_back(std::make_unique<SharedWorker>(one, w));
    for (auto& worker : workers)
      for (size_t p = 0; p < kSharedShapes.size(); ++p) {
        Param& param = *worker->params[p];
        if (!memory) param.data = (*own)[p];
        if (memory) param.data.Bind(memory->values(static_cast<int>(p)));
        if (memory && !(p == 1 && one.in_pieces))
          param.grad.Bind(memory->gradient(worker->number, static_cast<int>(p)));
      }
    if (memory) replica.AttachShared(reduction.table(), workers[0]->all, memory->shared_states());
    updates.Attach(reduction.table(), workers[0]->all);
    if (memory) updates.Share(memory->verdict());
    const PiecePlan plan({0, one.workers}, one.workers, one.threads, memory != nullptr);
    const GroupExchange::Gradients gradients = {
        {}, {false, one.in_pieces, false, false}, plan.room_floats(false)};
    for (auto& worker : workers) {
      GroupExchange::Gradients own_gradients = gradients;
      own_gradients.params = worker->all;
      worker->exchange.emplace(&reduction, worker->number, &worker->ctx, own_gradients);
    }
  }

  Replica replica;
  ReplicaUpdates updates;
  GradientReduction reduction;
  std::vector<std::unique_ptr<SharedWorker>> workers;
};

inline void TrainShared(const std::vector<SharedProcess*>& processes, int64_t steps) {
  std::vector<std::thread> threads;
  for (SharedProcess* process : processes)
    for (auto& worker : process->workers)
      threads.emplace_back([one = worker.get(), steps] { one->Train(steps); });
  for (std::thread& thread : threads) thread.join();
}

// SharedMemoryBlock is zero-filled memory for the group, made by a process whose workers have
// `threads` each.
class SharedMemoryBlock {
 public:
  explicit SharedMemoryBlock(int workers, int threads = 1) : table_(kSharedShapes) {
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

}  // namespace singa
