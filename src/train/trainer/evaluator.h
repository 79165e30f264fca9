// Evaluator runs the net of a test or validation phase on the params of the train net.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "io/store/output_files.h"
#include "nn/net_readers.h"
#include "nn/plan/net_memory.h"
#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
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
  NetReaders readers() { return NetReaders(&net_); }
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
  void BeginPass(Net* net, int64_t first_batch);
  bool BeginAnew(Net* net, int64_t batch, int64_t again, const std::function<bool()>& stop);
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

}  // namespace singa
