#include "train/worker_rows.h"

#include <map>
#include <set>
#include <string>

#include "train/lasting_buffers.h"

namespace singa {

WorkerRows RowsOf(const std::vector<Trainer*>& trainers) {
  WorkerRows rows;
  std::map<std::string, std::set<int64_t>> bad;
  for (Trainer* trainer : trainers) {
    for (const auto& [name, buffer] : LastingBuffers(trainer)) {
      if (buffer->span.rows == 0) continue;  // alike in all processes
      WorkerRows::Buffer* const to = rows.add_buffer();
      to->set_name(name);
      to->set_first(buffer->span.first);
      to->set_rows(buffer->span.rows);
      to->set_floats(buffer->tensor.data(), buffer->tensor.bytes());
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
  return rows;
}

}  // namespace singa
