#include "train/worker_rows.h"

#include <map>
#include <set>
#include <string>

#include "singa/base/error.h"
#include "train/lasting_buffers.h"

namespace singa {

WorkerRows TakeRows(const std::vector<Trainer*>& trainers) {
  WorkerRows rows;
  std::map<std::string, std::set<int64_t>> bad;
  for (Trainer* trainer : trainers) {
    for (const LastingBuffer& lasting : LastingBuffers(trainer)) {
      const RowSpan& span = lasting.buffer->span;
      if (span.rows == 0) continue;  // alike in all processes
      WorkerRows::Buffer* const to = rows.add_buffer();
      to->set_name(lasting.name);
      to->set_first(span.first);
      to->set_rows(span.rows);
      const Tensor values = lasting.OnHost();
      to->set_floats(values.data(), values.bytes());
    }
    for (const auto& [layer, records] : trainer->net().BadRecords())
      bad[layer].insert(records.begin(), records.end());
  }
  for (const auto& [layer, records] : bad) {
    WorkerRows::Bad* const to = rows.add_bad();
    to->set_layer(layer);
    to->mutable_record()->Add(records.begin(), records.end());
  }
  for (const MetricSums::Entry& entry : trainers[0]->metrics().entries()) {
    rows.add_metric_sum(entry.sum);
    rows.add_metric_weight(entry.weight);
  }
  trainers[0]->metrics().Reset();
  return rows;
}

void AddMetrics(const WorkerRows& rows, MetricSums* sums) {
  const auto metrics = static_cast<int>(sums->entries().size());
  if (rows.metric_sum_size() != metrics || rows.metric_weight_size() != metrics)
    throw PeerError("a process has other metrics than this one");
  for (int i = 0; i < metrics; ++i) {
    sums->entries()[i].sum += rows.metric_sum(i);
    sums->entries()[i].weight += rows.metric_weight(i);
  }
}

}  // namespace singa
