// WriteDigits is the command `singa data digits`.
#pragma once

#include "driver/arguments/arguments.h"

namespace singa {

// Draws the digits into the folder that `args` name, as MNIST's four files. Returns the exit code.
int WriteDigits(const Arguments& args);

}  // namespace singa
