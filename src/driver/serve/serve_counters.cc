#include "driver/serve/serve_counters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "driver/http/prometheus_text.h"

namespace singa {
namespace {

// Returns the quantile q of times that are sorted: the least one that is not below a share q.
double QuantileOf(const std::vector<float>& sorted, double q) {
  if (sorted.empty()) return std::nan("");
  const auto at = static_cast<ptrdiff_t>(std::ceil(q * static_cast<double>(sorted.size()))) - 1;
  return sorted[static_cast<size_t>(std::max<ptrdiff_t>(0, at))];
}

}  // namespace

void ServeCounters::AddAnswer(int status) {
  const MutexLock lock(&mutex_);
  ++answers_[status];
}

void ServeCounters::AddTime(double seconds) {
  const MutexLock lock(&mutex_);
  const auto time = static_cast<float>(seconds);
  if (times_.size() < kKeptTimes)
    times_.push_back(time);
  else
    times_[static_cast<size_t>(timed_) % kKeptTimes] = time;
  ++timed_;
  seconds_ += seconds;
}

void ServeCounters::AddBatch(int64_t records, double seconds) {
  const MutexLock lock(&mutex_);
  for (size_t i = 0; i < kBuckets; ++i)
    if (records <= int64_t{1} << i) ++batches_[i];
  ++all_batches_;
  records_ += records;
  compute_seconds_ += seconds;
}

std::string ServeCounters::Text(int64_t waiting) const {
  const MutexLock lock(&mutex_);
  PrometheusText text;
  for (const auto& [status, count] : answers_)
    text.Add("predict_requests_total",
             "Answers at /predict, and to requests whose first line cannot be read.",
             {{"code", std::to_string(status)}}, static_cast<double>(count));
  text.Add("predict_records_total", "Records that were computed.", {},
           static_cast<double>(records_));
  text.Add("predict_compute_seconds_total", "Time in which the net computed.", {},
           compute_seconds_);
  text.Add("predict_queue_records", "Records that wait for the net.", {},
           static_cast<double>(waiting));
  const auto batch = [&](const char* part, const MetricLabels& labels, double value) {
    text.AddPart("predict_batch_records", "histogram", "Records that were computed together.", part,
                 labels, value);
  };
  for (size_t i = 0; i < kBuckets; ++i)
    batch("_bucket", {{"le", std::to_string(1 << i)}}, static_cast<double>(batches_[i]));
  batch("_bucket", {{"le", "+Inf"}}, static_cast<double>(all_batches_));
  batch("_sum", {}, static_cast<double>(records_));
  batch("_count", {}, static_cast<double>(all_batches_));
  std::vector<float> sorted = times_;
  std::ranges::sort(sorted);
  const auto time = [&](const char* part, const MetricLabels& labels, double value) {
    text.AddPart("predict_seconds", "summary",
                 "Time from the body of a request for predictions to its answer; the quantiles "
                 "are of the last 10000 answers.",
                 part, labels, value);
  };
  time("", {{"quantile", "0.5"}}, QuantileOf(sorted, 0.5));
  time("", {{"quantile", "0.99"}}, QuantileOf(sorted, 0.99));
  time("_sum", {}, seconds_);
  time("_count", {}, static_cast<double>(timed_));
  return text.Text();
}

}  // namespace singa
