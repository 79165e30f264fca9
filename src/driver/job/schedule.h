// Schedule decides when a job displays, tests, validates and writes checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "singa/proto/job.pb.h"
#include "singa/train/learning_rate.h"

namespace singa {

class Schedule {
 public:
  // `records` is the training store's number of records, -1 if unknown; `batch` is the rows of a
  // step. `steps`: as process 0 counts them; not set: as the job says. `epoch_steps`: as process 0
  // counts them; 0: this process counts. Throws ConfigError if the job counts in epochs and their
  // length is unknown.
  Schedule(const JobProto& job, int64_t records, int64_t batch, std::optional<int64_t> steps = {},
           double epoch_steps = 0);

  int64_t steps() const { return steps_; }
  double epoch_steps() const { return epoch_steps_; }  // 0: not known
  // Returns whether a row is due after step `step` was computed.
  bool Display(int64_t step) const { return Due(display_, step); }
  // Returns whether there are such rows.
  bool displays() const { return display_.frequency > 0; }
  // Returns the learning rate of the update that follows step `step`, before lr_scale.
  double LearningRateAt(int64_t step) const;
  // Returns the passes of the group over its share of the training store after that step; nullopt:
  // the number of records is unknown.
  std::optional<double> EpochAfter(int64_t step) const;
  // Return whether a test, validation or checkpoint is due after `updates` updates. At 0 only tests
  // are due.
  bool Test(int64_t updates) const;
  bool Validate(int64_t updates) const { return updates > 0 && Due(validate_, updates); }
  bool Checkpoint(int64_t updates) const { return updates > 0 && Due(checkpoint_, updates); }
  // Returns whether histograms are due of the last of these updates.
  bool Histograms(int64_t updates) const { return updates > 0 && Due(histograms_, updates - 1); }

 private:
  struct Period {
    int64_t frequency = 0, after = 0;
  };
  static Period DisplayOf(const JobProto& job);
  static bool Due(const Period& period, int64_t n) {
    return period.frequency > 0 && n >= period.after && (n - period.after) % period.frequency == 0;
  }

  int64_t steps_ = 0;
  Period display_, test_, validate_, checkpoint_, histograms_;
  int64_t test_epochs_ = 0, records_ = -1, batch_ = 1;
  double epoch_steps_ = 0;
  std::shared_ptr<const LearningRate> rate_;
};

}  // namespace singa
