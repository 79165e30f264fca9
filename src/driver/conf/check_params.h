// Checks the first values of a job's params: files of checkpoint_path and initializers.
#pragma once

#include "nn/graph/graph.h"
#include "singa/nn/declare.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Finds params that no file gives and whose initializer is missing or does not suit the shape.
// `read_files`: the headers of checkpoint_path's files are read, and judged; else nothing is said
// of a job that has some. Relative to the JobProto.
ConfigErrors CheckFirstValues(const JobProto& job, const ParamTable& params, bool read_files);

}  // namespace singa
