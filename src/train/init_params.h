// First values of a job's params: from checkpoint_path files, else from their initializers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/nn/declare.h"
#include "singa/tensor/context.h"

namespace singa {

// What came from where, by param name in net order.
struct InitReport {
  std::vector<std::string> loaded, initialised;
  std::vector<std::string> unused;  // in the files, but the net lacks them
  int64_t version = 0;  // updates that the last file's params had seen; 0: it does not say
};

// Memory for the values of all params. `rest`: bytes that are taken beside. Throws DeviceError,
// before it takes any, where the machine has too little for both.
void AllocateParams(int64_t rest, const ParamTable& params);

// Which of the files must give a param of the net.
enum class Match { kEachFile, kOneFile };

// Copies in the values that `files` give; later files win. Params that none gives are listed in
// `initialised` and left as they are. REQUIRES: the params' data is bound. Throws FileError,
// DataError: a file is missing or damaged; ConfigError relative to the JobProto: a shape differs,
// or too few of the files match. kOneFile is for a part of a net.
InitReport LoadParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                          Match match = Match::kEachFile);

// The same, and initialises the others. Throws ConfigError for a param without an init, too.
InitReport InitParams(const Context& ctx, const std::vector<std::string>& files,
                      ParamTable* params);

}  // namespace singa
