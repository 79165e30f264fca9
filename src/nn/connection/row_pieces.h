// The rows of the group's batch that kSlice cuts into pieces, and kConcate joins. The workers
// divide each piece evenly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns the sizes of `count` nearly equal pieces of `rows` rows.
inline std::vector<int64_t> EvenPieces(int64_t rows, int count) {
  std::vector<int64_t> pieces(count);
  for (int k = 0; k < count; ++k) pieces[k] = PartOf(rows, k, count).second;
  return pieces;
}

// A worker of a group.
struct OwnWorker {
  int number = 0, workers = 1;

  OwnWorker(int own_number, int of_workers) : number(own_number), workers(of_workers) {}
  // The worker that a layer's conf is for.
  explicit OwnWorker(const LayerProto& conf)
      : OwnWorker(conf.partition_id(), std::max(1, conf.num_partitions())) {}
};

// Returns the first row of the batch that the workers of the group have, and the number of rows.
inline std::pair<int64_t, int64_t> GroupRows(const RowSpan& span) {
  return {span.group_first, span.group_rows > 0 ? span.group_rows : span.batch};
}
// Does the same for a feature that one worker may have alone.
inline std::pair<int64_t, int64_t> GroupRows(const Port& port, const OwnWorker& own) {
  if (own.workers > 1) return GroupRows(port.span);
  return {port.span.first, port.data.shape()[0]};
}

// Returns whether the worker has its part of the group's rows.
inline bool HasItsPart(const Port& port, const OwnWorker& own) {
  const auto [first, rows] = GroupRows(port.span);
  const auto [begin, count] = PartOf(rows, own.number, own.workers);
  return port.span.first == first + begin && port.span.rows == count &&
         port.data.shape()[0] == count * port.span.steps;
}

// Returns the span of the worker's part of rows [first, first + rows) of the same batch.
inline RowSpan PartOfRows(RowSpan span, int64_t first, int64_t rows, const OwnWorker& own) {
  const auto [begin, count] = PartOf(rows, own.number, own.workers);
  span.group_first = first;
  span.group_rows = rows;
  span.first = first + begin;
  span.rows = count;
  return span;
}

}  // namespace singa
