// The kernels of a recurrent cell compute one time step, element by element, between the products.
// recurrent_steps.h runs them over the sequence.
//
// A cell keeps K blocks of h numbers for each row, side by side. First they hold the gates'
// products with the input, then the numbers that the gradient needs, then the gradients of the
// products.
#pragma once

#include <cmath>

#include "math/elementwise/vector_math.h"
#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// One step forward. G gates; all matrices have `rows` rows.
struct CellStep {
  int64_t rows, hidden;
  const float* from_state;           // [rows, G h]: the gates' products with the state before
  const float* bias;                 // [G h]
  float* kept;                       // [rows, K h]
  const float *h_before, *c_before;  // [rows, h]; c only for kLSTM, else null
  float *h, *c;
};

// One step backward.
struct CellGradient {
  int64_t rows, hidden;
  float* kept;
  const float *h_before, *c_before, *c;
  const float* dy;  // [rows, h]: gradient of h from the layer's readers
  // In: gradients of h and c from the next step. Out: gradients of the state before, for h_before
  // without the part that flows through products.
  float *dh, *dc;
};

using CellStepKernel = Kernel<void(const CellStep& step)>;
using CellGradientKernel = Kernel<void(const CellGradient& step)>;

// A cell's formula is two functions of row r and unit j, <Cell>Unit and <Cell>UnitGradient. They
// call PlainMath in plain and CUDA kernels, and VectorMath in vector kernels.
struct PlainMath {
  SINGA_HD static float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
  SINGA_HD static float Tanh(float x) { return std::tanh(x); }
};
struct VectorMath {
  static float Sigmoid(float x) { return 1 / (1 + VectorExp(-x)); }
  static float Tanh(float x) { return VectorTanh(x); }
};

}  // namespace singa
