// These functions check params: the sources of their first values, and the factors that patterns of
// names give them.
#pragma once

#include "nn/graph/graph.h"
#include "singa/nn/declare.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Finds params that no file gives and whose initializer is missing or does not fit the shape. With
// `read_files` it reads and checks the headers of checkpoint_path's files; without, it finds
// nothing if the job has such files. Errors are relative to the JobProto.
ConfigErrors CheckFirstValues(const JobProto& job, const ParamTable& params, bool read_files);

// Warns of each param_scale that no param of the job's nets matches, or that sets no factor, and of
// each of its factors that no param takes. `params`: the params of these nets. Paths are relative
// to the JobProto.
ConfigErrors ScaleWarnings(const NetProto& net, const ParamTable& params);

}  // namespace singa
