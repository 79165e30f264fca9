// Device code of a step of a recurrent cell: a thread computes a unit of a row.
#pragma once

#include "nn/neuron/carry_state.h"
#include "nn/neuron/gru.h"
#include "nn/neuron/lstm.h"
#include "nn/neuron/rnn.h"

namespace singa {

struct GruCell {
  SINGA_HD void operator()(const CellStep& s, int64_t r, int64_t j) const {
    GruUnit<PlainMath>(s, r, j);
  }
  SINGA_HD void operator()(const CellGradient& s, int64_t r, int64_t j) const {
    GruUnitGradient<PlainMath>(s, r, j);
  }
};

struct LstmCell {
  SINGA_HD void operator()(const CellStep& s, int64_t r, int64_t j) const {
    LstmUnit<PlainMath>(s, r, j);
  }
  SINGA_HD void operator()(const CellGradient& s, int64_t r, int64_t j) const {
    LstmUnitGradient<PlainMath>(s, r, j);
  }
};

struct RnnCell {
  SINGA_HD void operator()(const CellStep& s, int64_t r, int64_t j) const {
    RnnUnit<PlainMath>(s, r, j);
  }
  SINGA_HD void operator()(const CellGradient& s, int64_t r, int64_t j) const {
    RnnUnitGradient<PlainMath>(s, r, j);
  }
};

// Step is CellStep or CellGradient.
template <typename UnitOf, typename Step>
struct CellUnit {
  Step step;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t r = i / step.hidden;
    UnitOf()(step, r, i - r * step.hidden);
  }
};

// Does row r of CarryState by a block.
struct CarryRow {
  const float *h, *c;
  float *carried_h, *carried_c;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t r) const {
    float broken = 0;
    for (int64_t i = r * d + block.thread(); i < r * d + d; i += block.threads())
      if (!std::isfinite(h[i]) || (c && !std::isfinite(c[i]))) broken = 1;
    const bool finite = block.Max(broken) == 0;
    for (int64_t i = r * d + block.thread(); i < r * d + d; i += block.threads()) {
      carried_h[i] = finite ? h[i] : 0;
      if (c) carried_c[i] = finite ? c[i] : 0;
    }
  }
};

}  // namespace singa
