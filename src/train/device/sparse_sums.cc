#include "train/device/sparse_sums.h"

#include <algorithm>
#include <utility>

#include "comm/codec/largest_floats.h"
#include "comm/codec/top_k.h"
#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "train/device/on_device.h"

namespace singa {
namespace {

constexpr int64_t kPair = sizeof(SparsePair);

bool ByThreshold(const AllReduceProto& conf) {
  return conf.compression() == AllReduceProto::kThreshold;
}

// How a slice travels.
struct Room {
  bool whole;
  int64_t most;  // floats that are sent at most
};

float ShareIn(const AllReduceProto& conf, int64_t step) {
  return ByThreshold(conf) ? conf.sparsity() : TopKShare(conf, step);
}

// A slice travels whole if the pairs of all members would take as much as an all-reduce, which
// sends and receives each float once. Floats above the threshold that find no room are sent later.
// If nothing is fed back, or a threshold of 0 asks for all floats, there must be room for all.
Room RoomFor(const AllReduceProto& conf, float share, int64_t n, int members) {
  const bool all = ByThreshold(conf) && (!conf.error_feedback() || conf.threshold() == 0);
  const int64_t most = all ? n : TopKCount(share, n);
  const bool whole = members * (1 + most) >= n;
  return {whole, whole && ByThreshold(conf) ? n : most};
}

std::vector<UpdatePiece> PiecesOf(const std::vector<SparseSlice>& slices) {
  std::vector<UpdatePiece> pieces;
  for (const SparseSlice& slice : slices) {
    UpdatePiece& piece = pieces.emplace_back();
    piece.g = slice.floats;
    piece.n = slice.n;
  }
  return pieces;
}

}  // namespace

SparseSums::Sizes SparseSums::SizesOf(const AllReduceProto& conf, float share,
                                      const SliceTable& table, int members) {
  Sizes sizes;
  for (const Slice& slice : table.slices()) {
    const Room room = RoomFor(conf, share, slice.size, members);
    (room.whole ? sizes.floats : sizes.pairs) += room.whole ? slice.size : 1 + room.most;
  }
  return sizes;
}

int64_t SparseSums::Bytes(const AllReduceProto& conf, const SliceTable& table, int members) {
  int64_t bytes = 0;
  for (const float share :
       ByThreshold(conf) ? std::vector<float>{conf.sparsity()} : TopKShares(conf)) {
    const auto [pairs, floats] = SizesOf(conf, share, table, members);
    bytes = std::max(bytes,
                     (1 + members) * pairs * kPair + floats * static_cast<int64_t>(sizeof(float)));
  }
  return bytes;
}

bool SparseSums::Fits(int64_t step) const { return ShareIn(conf_, step) == share_; }

SparseSums::SparseSums(const Setup& setup, const AllReduceProto& conf,
                       std::vector<SparseSlice> slices, int64_t losses, int64_t step)
    : setup_(setup),
      conf_(conf),
      share_(ShareIn(conf, step)),
      least_(ByThreshold(conf) ? MagnitudeBits(conf.threshold()) : 0),
      masks_(!ByThreshold(conf) && conf.factor_masking()),
      count_(std::ssize(slices)),
      findings_(setup.member, PiecesOf(slices), losses) {
  const Context& ctx = *setup_.member.ctx;
  const int members = setup_.member.number.members;
  for (SparseSlice& slice : slices) {
    const Room room = RoomFor(conf, share_, slice.n, members);
    slice.most = room.most;
    slice.code = pairs_;
    if (room.whole)
      floats_ += slice.n;
    else
      pairs_ += 1 + slice.most;
  }
  try {
    whole_ = Allocate(ctx, {floats_});
    float* whole = whole_.data();
    for (SparseSlice& slice : slices)
      if (RoomFor(conf, share_, slice.n, members).whole)
        slice.whole = std::exchange(whole, whole + slice.n);
    slices_ = OnDevice(ctx, slices);
    codes_ = Allocate(ctx, {(1 + members) * pairs_ * kPair}, DType::kU8);
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the codes of gradients: ", error.what()));
  }
}

void SparseSums::AddUp(float* bad_losses) {
  Context& ctx = *setup_.member.ctx;
  findings_.AddUp(bad_losses, setup_.clip_norm > 0, setup_.clip_norm);
  const SparseRule rule = {setup_.momentum, masks_,          least_,
                           &own()->factor,  findings_.all(), ctx.device_state};
  SparsePair* const codes = codes_.as<SparsePair>();
  EncodeSparse(ctx, slices_.as<SparseSlice>(), count_, rule, codes);
  Exchange();
  AddUpSparse(ctx, slices_.as<SparseSlice>(), count_, findings_.of_pieces(),
              {codes + pairs_, setup_.member.number.members, pairs_}, ctx.device_state);
}

void SparseSums::Exchange() {
  const GroupMember& member = setup_.member;
  std::byte* const codes = codes_.as<std::byte>();
  const int64_t bytes = pairs_ * kPair;
  if (pairs_ > 0)
    member.Transfer([&] { member.group->AllGather(codes, codes + bytes, bytes, *member.stream); });
  if (floats_ > 0)
    member.Transfer([&] { member.group->Sum(whole_.data(), floats_, *member.stream); });
}

}  // namespace singa
