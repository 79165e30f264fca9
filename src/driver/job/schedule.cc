#include "driver/job/schedule.h"

#include <charconv>
#include <cstdlib>

#include "singa/base/error.h"

namespace singa {

Schedule::Schedule(const JobProto& job, int64_t records, int64_t batch,
                   std::optional<int64_t> steps)
    : steps_(job.train_steps()),
      display_(DisplayOf(job)),
      test_{job.test_freq(), job.test_after()},
      validate_{job.validate_freq(), job.validate_after()},
      checkpoint_{job.checkpoint_freq(), job.checkpoint_after()},
      test_epochs_(job.test_epochs()),
      records_(records),
      batch_(batch),
      rate_(MakeLearningRate(job.updater().learning_rate())) {
  const bool epochs = job.train_epochs() > 0;
  if ((epochs || test_epochs_ > 0) && (records <= 0 || batch <= 0))
    throw ConfigError(epochs ? "train_epochs" : "test_epochs",
                      "needs an input layer that reads a store in the training net");
  if (epochs) steps_ = (job.train_epochs() * records + batch - 1) / batch;
  steps_ = steps.value_or(steps_);
}

// Returns the period of rows; 100 steps if the job does not set disp_freq. Then disp_after is not
// used.
Schedule::Period Schedule::DisplayOf(const JobProto& job) {
  constexpr int64_t kStepsUnset = 100;
  if (!job.has_disp_freq()) return {kStepsUnset, 0};
  return {job.disp_freq(), job.disp_after()};
}

double Schedule::LearningRateAt(int64_t step) const {
  const float rate = rate_->At(step);
  char digits[32];  // a double of 0.1f would print as 0.10000000149
  *std::to_chars(digits, digits + sizeof digits - 1, rate).ptr = '\0';
  return std::strtod(digits, nullptr);
}

std::optional<double> Schedule::EpochAfter(int64_t step) const {
  if (records_ <= 0) return {};
  return static_cast<double>(step + 1) * static_cast<double>(batch_) /
         static_cast<double>(records_);
}

bool Schedule::Test(int64_t updates) const {
  if (Due(test_, updates)) return true;
  if (test_epochs_ == 0) return false;
  // A test is due at the first number of updates that completes test_epochs epochs again.
  const int64_t pass = test_epochs_ * records_;
  return updates == 0 || updates * batch_ / pass > (updates - 1) * batch_ / pass;
}

}  // namespace singa
