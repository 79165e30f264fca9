#include "train/state/worker_rows.h"

#include <map>
#include <set>
#include <string>

#include "singa/base/error.h"
#include "train/state/lasting_buffers.h"

namespace singa {

WorkerRows RowsOf(const std::vector<Trainer*>& trainers) {
  WorkerRows rows;
  std::map<std::string, std::set<int64_t>> bad;
  for (Trainer* trainer : trainers) {
    for (const LastingBuffer& lasting : LastingBuffers(&trainer->model())) {
      const RowSpan& span = lasting.buffer->span;
      if (span.rows == 0) continue;  // the buffer is alike in all processes
      WorkerRows::Buffer* const to = rows.add_buffer();
      to->set_name(lasting.name);
      to->set_first(span.first);
      to->set_rows(span.rows);
      const Tensor values = lasting.OnHost();
      to->set_floats(values.data(), values.bytes());
    }
    for (const auto& [layer, records] : trainer->model().readers().BadRecords())
      bad[layer].insert(records.begin(), records.end());
  }
  for (const auto& [layer, records] : bad) {
    WorkerRows::Bad* const to = rows.add_bad();
    to->set_layer(layer);
    to->mutable_record()->Add(records.begin(), records.end());
  }
  for (Trainer* trainer : trainers) *rows.add_metrics() = MetricsOf(trainer);
  return rows;
}

WorkerRows::Metrics MetricsOf(Trainer* trainer) {
  WorkerRows::Metrics metrics;
  metrics.set_worker(trainer->model().place().worker);
  for (const MetricSums::Entry& entry : trainer->metrics().entries()) {
    metrics.add_sum(entry.sum);
    metrics.add_weight(entry.weight);
  }
  return metrics;
}

}  // namespace singa
