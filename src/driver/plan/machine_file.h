// ReadMachine reads a file with a MachineProto (proto/machine.proto).
#pragma once

#include <string>

#include "singa/proto/machine.pb.h"

namespace singa {

// Prints mistakes to stderr with their places, as for a job, and throws Error with kExitConfig.
// Throws FileError if the file cannot be read.
MachineProto ReadMachine(const std::string& file);

}  // namespace singa
