// Sets the first values of a job's params, from checkpoint_path files or from their initializers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/nn/declare.h"
#include "singa/tensor/context.h"
#include "train/state/param_sources.h"

namespace singa {

// Allocates the values of all params. `rest`: bytes that others need. Throws DeviceError, and
// allocates nothing, if the machine has too little memory for both.
void AllocateParams(int64_t rest, const ParamTable& params);

// Copies the values in `files` to the params; later files win. Params that no file has are listed
// in `initialised` and stay unchanged. REQUIRES: the params' data is bound. Throws FileError or
// DataError if a file is missing or damaged, and the first of ParamSources' problems before any
// value is copied. kOneFile is for a part of a net.
InitReport LoadParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                          Match match = Match::kEachFile);

// Does what LoadParamFiles does, and initialises the other params. Throws ConfigError also for a
// param without an init.
InitReport InitParams(const Context& ctx, const std::vector<std::string>& files,
                      ParamTable* params);

}  // namespace singa
