#include "driver/job/schedule.h"

#include <charconv>
#include <cstdlib>

#include "train/learning_rate/epoch_steps.h"

namespace singa {
namespace {

// Returns the field of a setting that counts epochs; "": there is none.
const char* FieldInEpochs(const JobProto& job) {
  if (job.train_epochs() > 0) return "train_epochs";
  if (job.test_epochs() > 0) return "test_epochs";
  const bool rate = job.updater().learning_rate().unit() == LRGenProto::kEpochs;
  return rate ? "updater.learning_rate.unit" : "";
}

}  // namespace

Schedule::Schedule(const JobProto& job, int64_t records, int64_t batch,
                   std::optional<int64_t> steps, double epoch_steps)
    : steps_(job.train_steps()),
      display_(DisplayOf(job)),
      test_{job.test_freq(), job.test_after()},
      validate_{job.validate_freq(), job.validate_after()},
      checkpoint_{job.checkpoint_freq(), job.checkpoint_after()},
      histograms_{job.tensorboard() ? job.tensorboard_histogram_freq() : 0, 0},
      test_epochs_(job.test_epochs()),
      records_(records),
      batch_(batch),
      epoch_steps_(epoch_steps > 0 ? epoch_steps : EpochSteps(records, batch)) {
  const std::string field = FieldInEpochs(job);
  if (!field.empty()) CheckEpochSteps(EpochSteps(records, batch), field);
  rate_ = MakeLearningRate(job.updater().learning_rate(), epoch_steps_ > 0 ? epoch_steps_ : 1);
  if (job.train_epochs() > 0) steps_ = (job.train_epochs() * records + batch - 1) / batch;
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
