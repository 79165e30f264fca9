// First values of a job's params: from checkpoint_path files, else from their initializers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/nn/declare.h"
#include "singa/tensor/context.h"
#include "train/state/param_sources.h"

namespace singa {

// Memory for the values of all params. `rest`: bytes that are taken beside. Throws DeviceError,
// before it takes any, where the machine has too little for both.
void AllocateParams(int64_t rest, const ParamTable& params);

// Copies in the values that `files` give; later files win. Params that none gives are listed in
// `initialised` and left as they are. REQUIRES: the params' data is bound. Throws FileError,
// DataError: a file is missing or damaged; the first of ParamSources' problems, before any value is
// copied. kOneFile is for a part of a net.
InitReport LoadParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                          Match match = Match::kEachFile);

// The same, and initialises the others. Throws ConfigError for a param without an init, too.
InitReport InitParams(const Context& ctx, const std::vector<std::string>& files,
                      ParamTable* params);

}  // namespace singa
