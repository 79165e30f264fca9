#include "train/device/half_sums.h"

#include <algorithm>
#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/device/on_device.h"

namespace singa {
namespace {

GpuTransfer Transfer(int peer, bool sends, uint16_t* codes, int64_t n) {
  return {peer, sends, reinterpret_cast<std::byte*>(codes), n * int64_t{sizeof(uint16_t)}};
}

Context In(Stream* stream, Context ctx) {
  ctx.stream = stream;
  return ctx;
}

Tensor Halves(const Context& ctx, int64_t n) {
  return Allocate(ctx, {n * int64_t{sizeof(uint16_t)}}, DType::kU8);
}

}  // namespace

HalfSums::HalfSums(GpuGroup* group, const GpuMember& member, const Context& ctx, Stream* stream,
                   Tensor* values, std::vector<Run> slices, float clip, std::function<void()> meet)
    : group_(group),
      member_(member.member),
      members_(member.members),
      ctx_(In(stream, ctx)),
      values_(values->data()),
      runs_(std::move(slices)),
      clip_(clip),
      meet_(std::move(meet)) {}

// Codes of each piece begin at 0, since pieces use the same memory. The shares are about equal.
void HalfSums::AddPiece(int64_t begin, int64_t end) {
  Piece piece = {std::ssize(slices_), 0, {0}, {0}};
  int64_t codes = 0, all = 0;
  for (const Run& run : runs_)
    if (run.begin >= begin && run.begin < end) all += HalfSlice::Halves(run.size);
  for (const Run& run : runs_) {
    if (run.begin < begin || run.begin >= end) continue;
    while (std::ssize(piece.shares) < members_ &&
           codes >= all * std::ssize(piece.shares) / members_) {
      piece.shares.push_back(static_cast<int>(std::ssize(slices_) - piece.first));
      piece.ends.push_back(codes);
    }
    slices_.push_back({run.begin, run.size, codes});
    codes += HalfSlice::Halves(run.size);
  }
  piece.last = std::ssize(slices_);
  piece.shares.resize(members_ + 1, static_cast<int>(piece.last - piece.first));
  piece.ends.resize(members_ + 1, codes);
  pieces_.push_back(std::move(piece));
}

void HalfSums::Allocate() {
  int64_t codes = 0, share = 0;
  for (const Piece& piece : pieces_) {
    codes = std::max(codes, piece.ends.back());
    share = std::max(share, CodesOf(piece, member_));
  }
  try {
    codes_ = Halves(ctx_, codes);
    sums_ = Halves(ctx_, codes);
    parts_ = Halves(ctx_, (members_ - 1) * share);
    on_device_ = OnDevice(ctx_, std::exchange(slices_, {}));
    std::vector<const uint16_t*> places;  // [pieces, members]
    for (const Piece& piece : pieces_)
      for (int m = 0, other = 0; m < members_; ++m)
        places.push_back(m == member_ ? codes_.as<uint16_t>() + piece.ends[m]
                                      : parts_.as<uint16_t>() + other++ * CodesOf(piece, member_));
    part_places_ = OnDevice(ctx_, places);
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the codes of gradients: ", error.what()));
  }
}

// The first piece may have the largest code, and there is a rest of 8 numbers for each slice.
int64_t HalfSums::Bytes(int64_t floats, int64_t slices) {
  const int64_t codes = floats + 2 * HalfSlice::kHead * slices;
  return 3 * codes * int64_t{sizeof(uint16_t)};
}

// Loading a kernel may wait for the work of all GPUs. Members therefore meet before a transfer and
// after it has begun.
void HalfSums::AddUp(size_t number) {
  const Piece& piece = pieces_[number];
  const HalfSlice* const slices = on_device_.as<HalfSlice>() + piece.first;
  EncodeHalves(ctx_, slices, piece.last - piece.first, values_, clip_, ctx_.device_state,
               codes_.as<uint16_t>());
  meet_();
  SendParts(piece);
  meet_();
  const HalfParts parts = {
      part_places_.as<const uint16_t*>() + static_cast<int64_t>(number) * members_, members_,
      piece.ends[member_]};
  AddUpHalves(ctx_, slices + piece.shares[member_],
              piece.shares[member_ + 1] - piece.shares[member_], parts, values_,
              sums_.as<uint16_t>());
  meet_();
  SendSums(piece);
  meet_();
  DecodeHalves(ctx_, slices, piece.last - piece.first, sums_.as<uint16_t>(), values_);
}

void HalfSums::SendParts(const Piece& piece) {
  std::vector<GpuTransfer> transfers;
  const int64_t own = CodesOf(piece, member_);
  for (int peer = 0, other = 0; peer < members_; ++peer) {
    if (peer == member_) continue;
    if (CodesOf(piece, peer) > 0)
      transfers.push_back(
          Transfer(peer, true, codes_.as<uint16_t>() + piece.ends[peer], CodesOf(piece, peer)));
    if (own > 0)
      transfers.push_back(Transfer(peer, false, parts_.as<uint16_t>() + other * own, own));
    ++other;
  }
  if (!transfers.empty()) group_->Exchange(transfers, *ctx_.stream);
}

void HalfSums::SendSums(const Piece& piece) {
  std::vector<GpuTransfer> transfers;
  for (int peer = 0; peer < members_; ++peer) {
    if (peer == member_) continue;
    for (const bool sends : {true, false}) {
      const int owner = sends ? member_ : peer;
      if (CodesOf(piece, owner) > 0)
        transfers.push_back(
            Transfer(peer, sends, sums_.as<uint16_t>() + piece.ends[owner], CodesOf(piece, owner)));
    }
  }
  if (!transfers.empty()) group_->Exchange(transfers, *ctx_.stream);
}

}  // namespace singa
