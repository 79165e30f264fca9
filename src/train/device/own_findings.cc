#include "train/device/own_findings.h"

#include <algorithm>

#include "singa/tensor/memory.h"
#include "train/device/on_device.h"

namespace singa {

OwnFindings::OwnFindings(Context* ctx, int64_t losses)
    : ctx_(ctx), bad_losses_(Allocate(*ctx, {losses})) {}

void OwnFindings::Add(const UpdatePiece& piece) {
  gradients_.push_back(piece.n > 0 ? piece.g : nullptr);
  if (piece.n > 0) pieces_.push_back(piece);
}

void OwnFindings::Place() {
  std::ranges::sort(pieces_, {}, &UpdatePiece::g);
  there_ = OnDevice(*ctx_, pieces_);
  found_ = OnDevice(*ctx_, std::vector<PieceFinding>(pieces_.size()));
}

void OwnFindings::Inspect(Stream* stream, std::span<const float> floats) {
  const auto at = [&](const float* address) {
    return std::ranges::lower_bound(pieces_, address, {}, &UpdatePiece::g) - pieces_.begin();
  };
  InspectSome(stream, at(floats.data()), at(floats.data() + floats.size()));
}

void OwnFindings::InspectAll() { InspectSome(ctx_->stream, 0, std::ssize(pieces_)); }

void OwnFindings::InspectSome(Stream* stream, int64_t first, int64_t last) {
  if (first == last) return;
  Context ctx = *ctx_;
  ctx.stream = stream;
  InspectPieces(ctx, there_.as<UpdatePiece>() + first, last - first, false,
                found_.as<PieceFinding>() + first);
}

bool OwnFindings::LossIsBad(int64_t loss) const {
  return OnHost(*ctx_, bad_losses_).data()[loss] != 0;
}

bool OwnFindings::PieceIsBad(int64_t piece) const {
  const float* const gradient = gradients_[piece];
  if (!gradient) return false;
  const auto place = std::ranges::lower_bound(pieces_, gradient, {}, &UpdatePiece::g);
  return OnHost(*ctx_, found_).as<PieceFinding>()[place - pieces_.begin()].bad != 0;
}

int FirstOf(GroupSum* group, const GpuMember& member, bool is_own) {
  std::vector<double> own(member.members);
  own[member.member] = is_own ? 1 : 0;
  group->Sum(own);
  const auto first = std::ranges::find(own, 1);
  return first == own.end() ? -1 : static_cast<int>(first - own.begin());
}

}  // namespace singa
