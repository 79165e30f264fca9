#include "train/device/gradient_sums.h"

namespace singa {

GradientSums::GradientSums(GpuGroup* group, const GpuMember& member, Context* ctx, Tensor* values,
                           const Layout& layout)
    : ctx_(ctx),
      values_(values),
      stream_(ctx->stream->gpu().NewStream()),
      collective_(group, member.member, member.members, stream_.get()) {
  Cut(layout);
}

// The backward pass makes them from the end, more or less: a piece is what is whole behind the
// first that is not. The last one ends the pass, so that what is left is one piece.
void GradientSums::Cut(const Layout& layout) {
  std::vector<bool> whole(layout.begins.size(), true);
  for (const int gradient : layout.order) whole[gradient] = false;
  int64_t end = values_->size();
  size_t left = whole.size();  // before those that are whole
  for (size_t made = 0; made + 1 < layout.order.size(); ++made) {
    whole[layout.order[made]] = true;
    while (left > 0 && whole[left - 1]) --left;
    if (left == whole.size() || end - layout.begins[left] < layout.at_once) continue;
    pieces_.push_back({layout.begins[left], end, made + 1});
    end = layout.begins[left];
  }
  if (end > 0) pieces_.push_back({0, end, layout.order.size() + 1});
}

void GradientSums::Ready() {
  if (pieces_[begun_].made == ++made_) Begin(pieces_[begun_++]);
}

// What a capture that failed has begun was never done.
void GradientSums::Finish(bool captured) {
  if (!captured) begun_ = 0;
  while (begun_ < pieces_.size()) {
    const Collective::Operation sum = Begin(pieces_[begun_++]);
    // The next one may be added up in another way, which allocates memory when it is first used:
    // that may wait for this one's kernel, and this one for members that have not begun it.
    if (!captured && begun_ < pieces_.size()) collective_.Await(sum);
  }
  ctx_->stream->Await(*stream_->Record());
  made_ = begun_ = 0;
}

Collective::Operation GradientSums::Begin(const Piece& piece) {
  stream_->Await(*ctx_->stream->Record());
  const std::span floats(values_->data() + piece.begin,
                         static_cast<size_t>(piece.end - piece.begin));
  return collective_.StartAllReduce(floats, floats);
}

}  // namespace singa
