// Evaluator runs the net of a test or validation phase on the params of the train net.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "io/store/output_files.h"
#include "math/reduction/sum_tree.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "tensor/gpu/gpu_group.h"
#include "train/reduce/metric_sums.h"
#include "train/trainer/score_watch.h"

namespace singa {

class Evaluator {
 public:
  // Plans the net of `phase`, which computes whole batches on all of ctx->threads. Throws the first
  // ConfigError, relative to the JobProto. All pointers must outlive it.
  Evaluator(const JobProto& job, Phase phase, ParamTable* params, Algorithm* algorithm,
            Context* ctx);

  NetMemory memory() const { return memory_; }
  Net& net() { return net_; }
  const Net& net() const { return net_; }
  void Open(const NetArena& arena);
  // Shows all later batches to `watch`, which must outlive them.
  void WatchScores(ScoreWatch* watch) {
    watch_ = watch;
    watch_->Watch(&net_);
  }

  // Returns the means over `steps` batches from the first record on; 0 steps: over every record of
  // the store once. Returns none if `stop` returns true between two batches.
  std::optional<MetricSums> Run(int64_t steps, const std::function<bool()>& stop);
  // Returns the files of the output layers, with their numbers of records, that the last complete
  // Run wrote.
  const std::vector<std::pair<std::string, int64_t>>& written() const { return written_; }
  // Returns why a file of that Run could not be written; none: all were.
  const std::optional<WriteError>& refused() const { return refused_; }

 private:
  bool RunBatches(Net* net, int64_t first_batch, int64_t batches, const std::function<bool()>& stop,
                  OutputFiles* files, MetricSums* sums);
  bool RunStore(const std::function<bool()>& stop, OutputFiles* files, MetricSums* sums);
  Net* TailNet(int64_t rows);
  [[noreturn]] void FailSteps(const std::string& why) const;

  JobProto job_;
  Phase phase_;
  // True: a user's layer alone tells the number of records, after Open.
  bool asks_user_ = false;
  ParamTable* params_;
  Algorithm* algorithm_;
  Context* ctx_;
  Net net_;
  NetMemory memory_;
  NetArena arena_;
  std::vector<std::pair<std::string, int64_t>> written_;
  std::optional<WriteError> refused_;
  ScoreWatch* watch_ = nullptr;  // null: none
  std::unique_ptr<Net> tail_;    // for the records after the last whole batch
};

// Says which worker of a job a Trainer is.
struct WorkerPlace {
  int threads = 1;
  int worker = 0, workers = 1;  // number in its group, and size of the group
  int group = 0, groups = 1;
  int first = 0;  // first worker of its group in this process
  // The group's workers in other processes are on this host, and share memory with these.
  bool shares_host = false;
  int first_here = 0;  // number of the group's first worker here, among all workers of the process
  int gpu = -1;        // number of the machine's GPU; -1: the worker computes on the CPU
  // All workers of the group have GPUs of their own, which add up among themselves.
  std::optional<GpuMember> gpus = {};
  // Cores of this host that an evaluation may use, the same in all processes of the job. 0: the
  // cores that this process may run on.
  int cores = 0;
  int here = 1;  // workers of the group in this process
  bool leads() const { return worker == first; }
  // Returns the group's workers that share memory with this one.
  SumNode sharing() const {
    return shares_host ? SumNode{0, workers} : SumNode{first, first + here};
  }
  bool spans_processes() const { return here < sharing().workers(); }
};

// Returns a worker's part of the net of one phase, planned. Throws the first ConfigError.
Net PlanNet(const JobProto& job, Phase phase, const WorkerPlace& place, ParamTable* params,
            const Algorithm& algorithm, Context* ctx, NetMemory* memory);

}  // namespace singa
