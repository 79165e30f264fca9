// Buffers of a train net that outlive a step, by their names in a checkpoint.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/trainer.h"

namespace singa {

// Every kForever buffer of the train net. Copies of an unrolled layer have one name and a number.
std::vector<std::pair<std::string, Buffer*>> LastingBuffers(Trainer* trainer);

}  // namespace singa
