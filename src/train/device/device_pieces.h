// DevicePieces are the pieces of the params that a worker's device updates and inspects in each
// step. The workers of a group number the pieces of the whole model alike.
#pragma once

#include <span>
#include <vector>

#include "singa/nn/param.h"
#include "train/apply/update_rule.h"
#include "train/device/step_report.h"

namespace singa {

class DevicePieces {
 public:
  // Adds the next piece of the whole model, a piece of `param`. piece.n is 0 if this worker does
  // not have it. `average`: the average of its values, which is not in piece.states; null: none.
  // `inspects`: this worker is the one that inspects it.
  void Add(const Param* param, UpdatePiece piece, float* average, bool inspects);
  // Copies the pieces to the device, which happens once.
  void Place(const Context& ctx);
  bool placed() const { return placed_; }

  // Inspects the gradients of this worker's pieces. Findings about others are zeros.
  void Inspect(Context& ctx, bool squares);
  // Returns the findings about all pieces as numbers, which workers of a group add up.
  std::span<double> findings();
  const PieceFinding* found() const { return found_.as<PieceFinding>(); }
  // Updates this worker's pieces, then their averages. `steps`: UpdateBatch::steps of `params`
  // params, and behind them those of the averages.
  void Update(Context& ctx, const UpdateRule& rule, const void* steps, int64_t params,
              const StepVerdict* verdict);

  // Returns the param of each piece.
  const std::vector<const Param*>& params() const { return params_; }
  int64_t count() const { return std::ssize(params_); }

 private:
  std::vector<const Param*> params_;
  std::vector<UpdatePiece> own_, averages_, inspects_;  // until they are placed
  int64_t updates_ = 0;                                 // pieces that this worker updates
  int64_t largest_ = 0;                                 // floats of the largest of them
  bool placed_ = false;
  Tensor updated_, averaged_, inspected_, found_;
};

}  // namespace singa
