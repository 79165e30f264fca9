// A PieceExchange moves pieces of tensors between the workers that compute one batch. Layers that
// the workers divide in different ways read each other's features and gradients through it.
#pragma once

#include <cstdint>

#include "singa/tensor/context.h"

namespace singa {

// Floats in a tensor: `count` runs of `run` floats, `stride` apart, and this `steps` times,
// `step_stride` apart.
struct Piece {
  float* data = nullptr;
  int64_t steps = 1, step_stride = 0;
  int64_t count = 0, stride = 0;
  int64_t run = 0;

  int64_t floats() const { return steps * count * run; }
};

// One worker's part. Workers are numbered within the group. A tag names one transfer of a step, in
// [0, number of tags). For each tag a worker offers at most one piece to each other worker before
// it calls AwaitTaken. Only the worker's thread calls it.
class PieceExchange {
 public:
  virtual ~PieceExchange() = default;

  // Offers `piece` to worker `to`. Its floats must not change before AwaitTaken(tag) returns. Does
  // not wait.
  virtual void Offer(Context& ctx, int tag, int to, const Piece& piece) = 0;
  // Blocks until worker `from` offers its piece of `tag` to this worker. Then copies it to `to`, a
  // piece of the same steps, count and run; with `add` it adds the floats instead.
  // Throws Stopped when the group was stopped, and Error with kExitStalled when the other worker
  // offers nothing before the deadline.
  virtual void Take(Context& ctx, int tag, int from, const Piece& to, bool add) = 0;
  // Blocks until all pieces that this worker offered with `tag` were taken. Throws as Take does.
  virtual void AwaitTaken(int tag) = 0;
};

// Copies the floats of `from` to `to`, a piece of the same steps, count and run, or adds them.
void MovePiece(Context& ctx, const Piece& from, const Piece& to, bool add);

}  // namespace singa
