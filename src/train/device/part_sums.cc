#include "train/device/part_sums.h"

#include <algorithm>
#include <cstddef>

#include "math/elementwise/elementwise.h"
#include "math/layout/blocks.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

GpuTransfer TransferOf(int peer, bool sends, float* floats, int64_t size) {
  return {peer, sends, reinterpret_cast<std::byte*>(floats),
          size * static_cast<int64_t>(sizeof(float))};
}

}  // namespace

PartSums::PartSums(GpuGroup* group, const GpuMember& member, Context* ctx, Stream* stream,
                   const std::vector<Gradient>& gradients)
    : group_(group), member_(member), ctx_(ctx), stream_(stream) {
  int64_t floats = 0;
  for (const Gradient& gradient : gradients) floats += Floats(gradient.size, gradient.by.count);
  rooms_ = Allocate(*ctx, {floats});
  float* room = rooms_.data();
  for (const Gradient& gradient : gradients) Plan(gradient, &room);
}

// The worker's own term is where it is. A worker without one gets the first term in its place.
void PartSums::Plan(const Gradient& gradient, float** room) {
  const Contributors& by = gradient.by;
  const int me = (member_.member - by.first) / by.stride;  // place among those that have the param
  const int own = me < by.count ? me : 0;
  Sum sum = {{}, gradient.floats, gradient.size};
  for (int place = 0; place < by.count; ++place) {
    sum.terms.push_back(place == own ? gradient.floats : *room);
    if (place != own) *room += gradient.size;
  }
  for (int place = 0; by.Worker(place) < member_.members; ++place) {
    if (place == me) continue;
    const int peer = by.Worker(place);
    if (me < by.count) transfers_.push_back(TransferOf(peer, true, gradient.floats, gradient.size));
    if (place < by.count)
      transfers_.push_back(TransferOf(peer, false, sum.terms[place], gradient.size));
  }
  if (by.count > 1) sums_.push_back(std::move(sum));
}

void PartSums::Add() {
  if (transfers_.empty()) return;
  stream_->Await(*ctx_->stream->Record());
  group_->Exchange(transfers_, *stream_);
  ctx_->stream->Await(*stream_->Record());
  for (const Sum& sum : sums_) {
    AddUp(sum, SumTree(static_cast<int>(sum.terms.size())).root());
    if (sum.terms[0] != sum.gradient)
      CopyBlocks(*ctx_, sum.terms[0], 0, sum.gradient, 0, 1, sum.size);
  }
}

void PartSums::AddUp(const Sum& sum, SumNode node) {
  if (node.workers() == 1) return;
  AddUp(sum, node.left());
  AddUp(sum, node.right());
  AddTo(*ctx_, sum.terms[node.right().first], sum.terms[node.left().first], sum.size);
}

}  // namespace singa
