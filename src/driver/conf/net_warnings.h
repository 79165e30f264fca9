// These functions warn about parts of a valid net that training does not change or use.
#pragma once

#include "nn/graph/graph.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns warnings for `net`, the net of the phase kTrain. Paths are relative to the JobProto.
// REQUIRES: `net` has no errors.
ConfigErrors NetWarnings(const JobProto& job, const Net& net);

// Warns of a layer of one step that reads the first step of a source with several, if the conf does
// not choose a step. Most often the last one is meant. `net` is of any phase. REQUIRES: `net` has
// no errors.
ConfigErrors FirstStepWarnings(const Net& net);

// Warns of layers of tests and validations that the training of `job` does not run, of a learning
// rate that is tiny for half of the training or more, and of an early stop without an evaluation.
ConfigErrors ScheduleWarnings(const JobProto& job);

// If a layer of `net` has different numbers of labels and rows, warns of a kConcate that joins rows
// because concate_dim is not set. `net` is of `conf`, of any phase, and may have errors.
ConfigErrors ConcateHints(const NetProto& conf, const Net& net);

// Returns the job's field that needs the phase: "test_freq"; "": no field does.
std::string AskerOf(const JobProto& job, Phase phase);

}  // namespace singa
