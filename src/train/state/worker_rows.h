// Makes the state that workers send to the process that writes the checkpoint.
#pragma once

#include <vector>

#include "singa/proto/rows.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// Returns the state of the workers of one group in one process. REQUIRES: none takes a step.
WorkerRows RowsOf(const std::vector<Trainer*>& trainers);
// Returns the metrics that a worker has summed up. Waits for a device.
WorkerRows::Metrics MetricsOf(Trainer* trainer);

}  // namespace singa
