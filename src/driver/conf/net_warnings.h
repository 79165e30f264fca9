// Warnings about parts of a sound net that training will not change or not use.
#pragma once

#include "nn/graph/graph.h"
#include "singa/nn/net.h"
#include "singa/proto/job.pb.h"

namespace singa {

// `net`: of the phase kTrain, without errors. Paths are relative to the JobProto.
ConfigErrors NetWarnings(const JobProto& job, const Net& net);

// A layer of one step reads the first step of a source with several, where the conf does not say
// which. Most often the last one is meant. `net`: of any phase, without errors.
ConfigErrors FirstStepWarnings(const Net& net);

// Layers of tests and validations that the training of `job` does not run; a learning rate that is
// next to nothing for half of the training or more.
ConfigErrors ScheduleWarnings(const JobProto& job);

// Where a layer of `net` has another number of labels than rows: a kConcate that joins rows for
// want of a concate_dim. `net`: of `conf`, of any phase, perhaps with errors.
ConfigErrors ConcateHints(const NetProto& conf, const Net& net);

// The field that asks for the phase: "test_freq"; "": no field does.
std::string AskerOf(const JobProto& job, Phase phase);

}  // namespace singa
