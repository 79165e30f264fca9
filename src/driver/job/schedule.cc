#include "driver/job/schedule.h"

#include <charconv>
#include <cstdlib>

#include "singa/base/error.h"

namespace singa {

Schedule::Schedule(const JobProto& job, int64_t records, int64_t batch)
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
}

// Rows of a job that says nothing of them. disp_after is of disp_freq.
Schedule::Period Schedule::DisplayOf(const JobProto& job) {
  constexpr int64_t kStepsUnset = 100;
  if (!job.has_disp_freq()) return {kStepsUnset, 0};
  return {job.disp_freq(), job.disp_after()};
}

double Schedule::LearningRateAt(int64_t step) const {
  const float rate = rate_->At(step);
  char digits[32];  // 0.1f as a double would be shown as 0.10000000149
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
  // The first count of updates that has seen k passes of test_epochs epochs, for some k.
  const int64_t pass = test_epochs_ * records_;
  return updates == 0 || updates * batch_ / pass > (updates - 1) * batch_ / pass;
}

}  // namespace singa
