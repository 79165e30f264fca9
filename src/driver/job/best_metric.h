// BestMetric finds the best value of the metric checkpoint_best, and counts the evaluations that
// brought no better one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/stored_tensor.h"
#include "singa/proto/job.pb.h"
#include "train/reduce/metric_sums.h"

namespace singa {

class BestMetric {
 public:
  // Uses checkpoint_best, stop_patience and validate_freq.
  explicit BestMetric(const JobProto& job);

  // Notes the metric in `sums`, the result of an evaluation after `updates` updates. Returns
  // whether it is better than all before: the least of a loss, the largest of any other metric. An
  // evaluation that a resumed run repeats counts once, even if worker groups that go at their own
  // pace had other values then.
  bool Note(const MetricSums& sums, int64_t updates);
  // Puts back the best value from before the last Note, which a resumed run may repeat. The count
  // of worse evaluations stays.
  void Forget();

  // Returns the updates of the best value; -1: none.
  int64_t step() const { return best_.step; }
  // Returns whether stop_patience evaluations in a row were no better.
  bool exhausted() const { return patience_ > 0 && not_better_ >= patience_; }
  // Returns, for example, "the accuracy was not better in 3 validations; the best is 0.91, of step
  // 400"; of a job without validations it counts tests.
  std::string Text() const;

  // Adds what a checkpoint needs to `state`, in place.
  void Save(std::vector<StoredTensor>* state) const;
  // Takes what Save wrote for the same metric, if it wrote anything. Returns a warning; "": none.
  [[nodiscard]] std::string Restore(const Safetensors& state);

 private:
  struct Best {
    std::optional<double> value;
    int64_t step = -1;
  };

  // Names of the state in a checkpoint.
  struct Names {
    explicit Names(const std::string& best)
        : value(best + "/value"),
          step(best + "/step"),
          not_better(best + "/not_better"),
          judged(best + "/judged_step") {}
    const std::string value, step, not_better, judged;
  };

  const std::string metric_;
  const char* const evaluation_;  // the source of the metric: "validation" or "test"
  const int64_t patience_;        // 0: none
  const Names names_;
  Best best_, before_;      // now, and before the last Note
  int64_t not_better_ = 0;  // evaluations since the best
  int64_t judged_ = -1;     // updates at the last evaluation; -1: none
  int64_t judged_before_ = -1;
};

}  // namespace singa
