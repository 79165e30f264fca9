// Trainer: one worker of one process: the nets of all phases on one set of params, the algorithm
// and the exchange. Used by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "singa/proto/job.pb.h"
#include "singa/train/algorithm.h"
#include "train/evaluator.h"
#include "train/local_exchange.h"
#include "train/metric_sums.h"

namespace singa {

// Bytes of memory that the machine has, or of those what the control group grants.
int64_t UsableMemory();

// Bytes that a job takes, known before anything is allocated.
struct JobMemory {
  int64_t params = 0, gradients = 0, updater = 0;
  int64_t arena = 0;      // shared by the nets of all phases
  int64_t unplanned = 0;  // what the train net's arena would take without reuse
  int64_t forever = 0;
  int64_t total() const { return params + gradients + updater + arena + forever; }
};

class Trainer {
 public:
  // Builds and plans the nets of training and of whichever of test and validation the job runs.
  // Allocates no tensor. Throws ConfigError relative to the JobProto.
  // `choices`, where not null, gets a line for each kernel that a layer of the train net chose.
  Trainer(const JobProto& job, int threads, std::vector<KernelChoice>* choices = nullptr);

  JobMemory memory() const { return memory_; }
  Context& ctx() { return ctx_; }
  ParamTable& params() { return params_; }
  Net& net() { return net_; }
  LocalExchange& exchange() { return *exchange_; }
  Evaluator* evaluator(Phase phase) { return phase == kVal ? validate_.get() : test_.get(); }

  // Allocates everything but the params' values and opens the stores. Throws DeviceError where the
  // machine has too little memory.
  void Allocate();
  // Rows of one batch of the group.
  int64_t batch() const { return net_.batch(); }

  // Computes batch `step` and applies its updates.
  void TrainStep(int64_t step) { TrainStep(step, exchange_.get()); }
  // The same through an exchange that hands on to exchange().
  void TrainStep(int64_t step, ParamExchange* exchange);
  // Ends what output layers of the train net write.
  void FinishOutputs() { outputs_.Finish(); }
  // Sums of the metrics over the steps since the last Reset, skipped ones left out.
  MetricSums& metrics() { return metrics_; }
  // Milliseconds that input layers waited for records since the last call.
  double TakeWaitMs();

  // Which record each reader of the train net goes on with, by layer.
  std::vector<std::pair<std::string, int64_t>> ReaderPositions() const;
  void SeekReaders(const std::vector<std::pair<std::string, int64_t>>& positions);

 private:
  void CountMemory();
  bool InPieces(const NetNode& node, const Param& param) const;

  JobProto job_;
  StepState state_;
  Context ctx_;
  ParamTable params_;
  std::unique_ptr<Algorithm> algorithm_;
  Net net_;
  NetMemory net_memory_;
  std::unique_ptr<Evaluator> test_, validate_;
  std::unique_ptr<LocalExchange> exchange_;
  JobMemory memory_;
  MetricSums metrics_;
  OutputFiles outputs_;
};

// Whether the job's settings ask for the phase kTest or kVal.
bool RunsPhase(const JobProto& job, Phase phase);

}  // namespace singa
