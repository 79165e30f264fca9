#include "train/device/part_sums.h"

#include <utility>

#include "math/elementwise/elementwise.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

PartSums::PartSums(GpuGroup* group, const GpuMember& member, Context* ctx, Stream* stream,
                   const std::vector<Gradient>& gradients)
    : group_(group), ctx_(ctx), stream_(stream) {
  int64_t floats = 0;
  for (const Gradient& gradient : gradients) floats += Floats(gradient.size, gradient.by.count);
  try {
    rooms_ = Allocate(*ctx, {floats});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("gradients of other workers: ", error.what()));
  }
  float* room = rooms_.data();
  for (const Gradient& gradient : gradients) Plan(gradient, member, &room);
}

// The worker's own term is where it is. If each worker computes the whole gradient (count 1), there
// are workers without a term, who get the first one in its place.
void PartSums::Plan(const Gradient& gradient, const GpuMember& member, float** room) {
  const Contributors& by = gradient.by;
  const int me = (member.member - by.first) / by.stride;  // place among those that have the param
  const int own = me < by.count ? me : 0;
  Sum sum = {{}, gradient.floats, gradient.size};
  for (int place = 0; place < by.count; ++place) {
    sum.terms.push_back(place == own ? gradient.floats : *room);
    if (place != own) *room += AlignedForGpu(gradient.size);
  }
  for (int place = 0; by.Worker(place) < member.members; ++place) {
    if (place == me) continue;
    const int peer = by.Worker(place);
    if (me < by.count)
      transfers_.push_back(GpuTransfer::OfFloats(peer, true, gradient.floats, gradient.size));
    if (place < by.count)
      transfers_.push_back(GpuTransfer::OfFloats(peer, false, sum.terms[place], gradient.size));
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
    if (sum.terms[0] != sum.gradient) CopyFloats(*ctx_, sum.terms[0], sum.gradient, sum.size);
  }
}

void PartSums::AddUp(const Sum& sum, SumNode node) {
  if (node.workers() == 1) return;
  AddUp(sum, node.left());
  AddUp(sum, node.right());
  AddTo(*ctx_, sum.terms[node.right().first], sum.terms[node.left().first], sum.size);
}

}  // namespace singa
