// What the workers of a process that writes no checkpoint give to the one that does.
#pragma once

#include <vector>

#include "singa/proto/rows.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// Of the workers of one group in one process. While none takes a step.
WorkerRows RowsOf(const std::vector<Trainer*>& trainers);
// What it has summed up. Waits for a device.
WorkerRows::Metrics MetricsOf(Trainer* trainer);

}  // namespace singa
