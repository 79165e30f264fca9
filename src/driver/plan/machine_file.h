// ReadMachine reads a file with a MachineProto (proto/machine.proto).
#pragma once

#include <string>

#include "singa/proto/machine.pb.h"

namespace singa {

// The bounds of speeds, in their units. Others would give times that are no numbers.
inline constexpr double kLeastSpeed = 1e-9, kMostSpeed = 1e12;

// Prints mistakes to stderr with their places, as for a job, and throws Error with kExitConfig.
// Throws FileError if the file cannot be read.
MachineProto ReadMachine(const std::string& file);

}  // namespace singa
