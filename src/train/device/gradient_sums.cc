#include "train/device/gradient_sums.h"

#include <utility>

namespace singa {

GradientSums::GradientSums(GpuGroup* group, const GpuMember& member, Context* ctx, Stream* stream,
                           Tensor* values, const Layout& layout, std::unique_ptr<HalfSums> halves,
                           OwnFindings* own)
    : ctx_(ctx),
      values_(values),
      stream_(stream),
      collective_(group, member.member, member.members, stream),
      halves_(std::move(halves)),
      own_(own) {
  Cut(layout);
  if (!halves_) return;
  for (const Piece& piece : pieces_) halves_->AddPiece(piece.begin, piece.end);
  halves_->Allocate();
}

// Cuts the tensor into pieces. The backward pass makes gradients roughly from the end. A piece
// begins behind the last gradient that is not complete. The last gradient ends the pass, so the
// rest is one piece.
void GradientSums::Cut(const Layout& layout) {
  std::vector<bool> whole(layout.begins.size(), true);
  for (const int gradient : layout.order) whole[gradient] = false;
  int64_t end = values_->size();
  size_t left = whole.size();  // gradients before those that are complete
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
  if (pieces_[begun_].made == ++made_) BeginNext(true);
}

// A capture that failed may have begun sums, which were never done.
void GradientSums::Finish(bool captured) {
  if (!captured) begun_ = 0;
  while (begun_ < pieces_.size()) {
    BeginNext(captured);
    // NCCL may use another way for the next sum, which allocates memory at first. This may wait for
    // this sum's kernel, which waits for members that have not begun it.
    if (!captured && begun_ < pieces_.size()) collective_.AwaitAll();
  }
  ctx_->stream->Await(*stream_->Record());
  made_ = begun_ = 0;
}

void GradientSums::BeginNext(bool captured) {
  stream_->Await(*ctx_->stream->Record());
  const size_t number = begun_++;
  const Piece& piece = pieces_[number];
  const std::span floats(values_->data() + piece.begin,
                         static_cast<size_t>(piece.end - piece.begin));
  if (own_ && captured) own_->Inspect(stream_, floats);
  if (halves_) return halves_->AddUp(number);
  collective_.StartAllReduce(floats, floats);
}

}  // namespace singa
