// TrainedParams lists the params of a train net that get gradients.
#pragma once

#include <algorithm>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/nn/param.h"

namespace singa {

struct TrainedParams {
  std::vector<Param*> params;    // in the order of the param table, whole
  std::vector<Param*> own;       // the same params, or this worker's parts of them: the net's
  std::vector<bool> in_pieces;   // by param: its gradient is handed on in pieces
  std::vector<Contributors> by;  // by param: the workers that compute the gradient of `own`
  SliceTable table;              // of all params, whole
  // The params of the nets of other phases, whole, if the train net has parts of them; else empty.
  std::vector<const Param*> of_other_phases;

  bool IsOfOtherPhases(const Param* param) const {
    return std::ranges::find(of_other_phases, param) != of_other_phases.end();
  }

  // Returns whether some workers of the group lack rows of a param, or its gradient.
  bool divided() const {
    return std::ranges::any_of(by, [](const Contributors& some) { return !some.all(); });
  }
  // Returns the memory of the values on the host, in the order of the params.
  std::vector<float*> Values() const {
    std::vector<float*> values;
    for (Param* param : params) values.push_back(param->host().data());
    return values;
  }
};

}  // namespace singa
