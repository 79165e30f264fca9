// LikeFile undoes an import of params: it gives them the shapes and the order of the tensors in the
// file that they came from.
#pragma once

#include <string>
#include <vector>

#include "driver/command/moved_params.h"
#include "io/checkpoint/safetensors.h"
#include "io/checkpoint/stored_tensor.h"
#include "singa/nn/param_table.h"

namespace singa {

// Returns the tensors of a file like `like`: `params`, which have the names of that file, and its
// own tensors that hold no floating-point numbers. Matrices of layers with transpose: true of `net`
// are transposed if `like` has them so; null: no matrix is. Adds mismatches to the problems of
// `mover`, and the names of matrices that it transposes to `turned`. The values are valid while
// `mover`, `like` and those of `params` exist.
std::vector<StoredTensor> LikeFile(std::vector<StoredTensor> params, const Safetensors& like,
                                   const ParamTable* net, MovedParams* mover,
                                   std::vector<std::string>* turned);

}  // namespace singa
