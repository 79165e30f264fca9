// A RegionExchange moves regions of tensors between the workers that compute one batch. Layers that
// the workers divide in different ways read each other's features and gradients through it.
#pragma once

#include <cstdint>

#include "singa/tensor/context.h"

namespace singa {

// Floats in a tensor: `count` runs of `run` floats, `stride` apart, and this `steps` times,
// `step_stride` apart.
struct Region {
  float* data = nullptr;
  int64_t steps = 1, step_stride = 0;
  int64_t count = 0, stride = 0;
  int64_t run = 0;

  int64_t floats() const { return steps * count * run; }
};

// One worker's part. Workers are numbered within the group. A tag names one transfer of a step, in
// [0, number of tags). For each tag a worker offers at most one region to each other worker before
// it calls AwaitTaken. Only the worker's thread calls it.
class RegionExchange {
 public:
  virtual ~RegionExchange() = default;

  // Offers `region` to worker `to`. Its floats must not change before AwaitTaken(tag) returns. Does
  // not wait.
  virtual void Offer(Context& ctx, int tag, int to, const Region& region) = 0;
  // Says that this worker has offered all regions of `tag`. Every worker calls it, even if it
  // offers nothing, for the same tags in the same order. Does not wait for their regions.
  virtual void EndOffers(Context&, int /*tag*/) {}
  // Forgets what was offered for a tag whose EndOffers was not called or has failed.
  virtual void DropOffers() {}
  // Blocks until worker `from` offers its region of `tag` to this worker. Then copies it to `to`, a
  // region of the same steps, count and run; with `add` it adds the floats instead.
  // Throws Stopped when the group was stopped, and Error with kExitStalled when the other worker
  // offers nothing before the deadline.
  virtual void Take(Context& ctx, int tag, int from, const Region& to, bool add) = 0;
  // Blocks until all regions that this worker offered with `tag` were taken. Throws as Take does.
  virtual void AwaitTaken(int tag) = 0;
};

// Returns a region of the same floats, side by side in `memory`.
inline Region Packed(const Region& region, float* memory) {
  const int64_t step = region.count * region.run;
  return {memory, region.steps, step, region.count, region.run, region.run};
}
// Copies the floats of `from` to `to`, a region of the same steps, count and run, or adds them.
void MoveRegion(Context& ctx, const Region& from, const Region& to, bool add);

}  // namespace singa
