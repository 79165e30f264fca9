// ExportTensorBoard writes the rows of a run's metrics.jsonl to a file that TensorBoard reads.
#pragma once

#include "driver/arguments/arguments.h"

namespace singa {

// Runs `singa export tensorboard WORKSPACE [FOLDER]`, whose words are the operands of `args`.
// Returns the exit code. Throws Error.
int ExportTensorBoard(const Arguments& args);

}  // namespace singa
