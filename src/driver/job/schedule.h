// When a job displays, tests, validates and checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "singa/proto/job.pb.h"
#include "singa/train/learning_rate.h"

namespace singa {

class Schedule {
 public:
  // `records` of the training store, -1 if unknown; `batch` rows a step. Throws ConfigError where
  // the job counts in epochs and nothing says how long one is.
  Schedule(const JobProto& job, int64_t records, int64_t batch);

  int64_t steps() const { return steps_; }
  // After the step of this index was computed.
  bool Display(int64_t step) const { return Due(display_, step); }
  // Learning rate of the update that follows step `step`, before lr_scale.
  double LearningRateAt(int64_t step) const;
  // Passes of the group over its share of the training store that are done after that step;
  // nothing: its records are not counted.
  std::optional<double> EpochAfter(int64_t step) const;
  // When `updates` are done. At 0 only tests fire.
  bool Test(int64_t updates) const;
  bool Validate(int64_t updates) const { return updates > 0 && Due(validate_, updates); }
  bool Checkpoint(int64_t updates) const { return updates > 0 && Due(checkpoint_, updates); }

 private:
  struct Period {
    int64_t frequency = 0, after = 0;
  };
  static Period DisplayOf(const JobProto& job);
  static bool Due(const Period& period, int64_t n) {
    return period.frequency > 0 && n >= period.after && (n - period.after) % period.frequency == 0;
  }

  int64_t steps_ = 0;
  Period display_, test_, validate_, checkpoint_;
  int64_t test_epochs_ = 0, records_ = -1, batch_ = 1;
  std::shared_ptr<const LearningRate> rate_;
};

}  // namespace singa
