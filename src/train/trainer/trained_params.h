// TrainedParams lists the params of a train net that get gradients.
#pragma once

#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"

namespace singa {

struct TrainedParams {
  std::vector<Param*> params;   // in the order of the param table, whole
  std::vector<Param*> own;      // the same params, or this worker's parts of them: the net's
  std::vector<bool> in_pieces;  // by param: its gradient is handed on in pieces
  SliceTable table;             // of all params, whole

  // Returns the memory of the values on the host, in the order of the params.
  std::vector<float*> Values() const {
    std::vector<float*> values;
    for (Param* param : params) values.push_back(param->host().data());
    return values;
  }
};

}  // namespace singa
