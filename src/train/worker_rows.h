// What the workers of a process that writes no checkpoint give to the one that does.
#pragma once

#include <vector>

#include "singa/proto/rows.pb.h"
#include "train/trainer.h"

namespace singa {

// Of the workers of one group in one process. While none takes a step. Their metrics go with it and
// begin anew.
WorkerRows TakeRows(const std::vector<Trainer*>& trainers);
// Adds the metrics of `rows` to `sums`. Throws PeerError where they are of another net.
void AddMetrics(const WorkerRows& rows, MetricSums* sums);

}  // namespace singa
