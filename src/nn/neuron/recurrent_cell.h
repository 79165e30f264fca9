// What a recurrent cell computes in one time step between its products, element by element; the
// sequence around it is recurrent.h's.
//
// A cell keeps K blocks of h numbers for each row, side by side: on entry the gates' products of
// the input, then what its gradient needs, then the gradients of those products.
#pragma once

#include <cmath>

#include "math/elementwise/vector_math.h"
#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// One step forward. G gates; all matrices have `rows` rows.
struct CellStep {
  int64_t rows, hidden;
  const float* from_state;           // [rows, G h]: the gates' products of the state before
  const float* bias;                 // [G h]
  float* kept;                       // [rows, K h]
  const float *h_before, *c_before;  // [rows, h]; c: of kLSTM alone, else null
  float *h, *c;
};

// One step backward.
struct CellGradient {
  int64_t rows, hidden;
  float* kept;
  const float *h_before, *c_before, *c;
  const float* dy;  // [rows, h]: of h, from the layer's readers
  // In: of h and c, from the step after. Out: of the state before; of h_before what does not go
  // through a product.
  float *dh, *dc;
};

using CellStepKernel = Kernel<void(const CellStep& step)>;
using CellGradientKernel = Kernel<void(const CellGradient& step)>;

// A cell's formula is two functions of row r, unit j, <Cell>Unit and <Cell>UnitGradient. What they
// call, as the plain kernel and a device's have it, and the vector kernel:
struct PlainMath {
  SINGA_HD static float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
  SINGA_HD static float Tanh(float x) { return std::tanh(x); }
};
struct VectorMath {
  static float Sigmoid(float x) { return 1 / (1 + VectorExp(-x)); }
  static float Tanh(float x) { return VectorTanh(x); }
};

}  // namespace singa
