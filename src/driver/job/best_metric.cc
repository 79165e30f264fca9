#include "driver/job/best_metric.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/text/counted.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/shape.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

// Name of the best value in an older checkpoint, which does not say its metric.
constexpr char kOldBest[] = "train/best";

// Returns whether small values of the metric are good, as of a loss. Of other metrics, such as the
// accuracy, the largest is the best.
bool LeastIsBest(const std::string& metric) {
  std::istringstream words(metric);
  for (std::string word; std::getline(words, word, '_');)
    for (const char* least : {"loss", "error", "mae", "bits", "perplexity", "ppl"})
      if (word == least) return true;
  return false;
}

int64_t NumberOf(const Safetensors& state, const std::string& name) {
  return state.Values<int64_t>(name, Shape())[0];
}

}  // namespace

BestMetric::BestMetric(const JobProto& job)
    : metric_(job.checkpoint_best()),
      evaluation_(RunsPhase(job, kVal) ? "validation" : "test"),
      patience_(job.stop_patience()),
      names_(StrCat("train/best/", metric_)) {}

bool BestMetric::Note(const MetricSums& sums, int64_t updates) {
  if (updates == judged_) return false;
  const std::vector<MetricSums::Shown> values = sums.Values();
  const auto shown = std::ranges::find(values, metric_, &MetricSums::Shown::name);
  if (shown == values.end()) return false;
  const double value = shown->value;
  const bool better =
      !std::isnan(value) &&
      (!best_.value || (LeastIsBest(metric_) ? value < *best_.value : value > *best_.value));
  before_ = best_;
  judged_before_ = judged_;
  not_better_ = better ? 0 : not_better_ + 1;
  judged_ = updates;
  if (better) best_ = {value, updates};
  return better;
}

void BestMetric::Forget() {
  best_ = before_;
  judged_ = judged_before_;
}

std::string BestMetric::Text() const {
  return StrCat("the ", metric_, " was not better in ", Counted(not_better_, evaluation_),
                best_.value ? StrCat("; the best is ", *best_.value, ", of step ", best_.step)
                            : std::string("; it was never a number"));
}

void BestMetric::Save(std::vector<StoredTensor>* state) const {
  if (judged_ < 0) return;
  if (best_.value) {
    state->push_back(Stored(names_.value, Shape(), &*best_.value));
    state->push_back(Stored(names_.step, Shape(), &best_.step));
  }
  state->push_back(Stored(names_.judged, Shape(), &judged_));
  if (patience_ > 0) state->push_back(Stored(names_.not_better, Shape(), &not_better_));
}

std::string BestMetric::Restore(const Safetensors& state) {
  if (state.Find(names_.value))
    best_ = {state.Values<double>(names_.value, Shape())[0], NumberOf(state, names_.step)};
  if (state.Find(names_.judged)) judged_ = NumberOf(state, names_.judged);
  if (state.Find(names_.not_better)) not_better_ = NumberOf(state, names_.not_better);
  if (metric_.empty() || !state.Find(kOldBest)) return "";
  return StrCat("the checkpoint does not say whose best value it has: the search for the best ",
                metric_, " begins anew");
}

}  // namespace singa
