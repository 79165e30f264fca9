// TrainedShapes are the params that a job trains.
#pragma once

#include <cstdint>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

struct TrainedShapes {
  std::vector<Shape> params;  // whole
  int states = 0;             // floats that the updater keeps for each of a param

  int64_t bytes() const {
    int64_t sum = 0;
    for (const Shape& shape : params) sum += shape.size() * int64_t{sizeof(float)};
    return sum;
  }
};

}  // namespace singa
