// `singa ckpt export` and `singa ckpt import` write params to other programs' files, and read them
// from there.
#pragma once

#include "driver/arguments/arguments.h"

namespace singa {

int ExportParams(const Arguments& args);
int ImportParams(const Arguments& args);

}  // namespace singa
