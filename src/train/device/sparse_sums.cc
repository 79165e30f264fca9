#include "train/device/sparse_sums.h"

#include <algorithm>
#include <utility>

#include "comm/codec/largest_floats.h"
#include "comm/codec/top_k.h"
#include "math/elementwise/elementwise.h"
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

// Floats above the threshold that find no room are sent later, so
// there must be room for all if nothing is fed back. A member sends and receives each float of an
// all-reduce, which is as much as a pair, and receives the pairs of all members. A whole slice has
// room for all floats.
Room RoomFor(const AllReduceProto& conf, float share, int64_t n, int members) {
  const bool all = ByThreshold(conf) && !conf.error_feedback();
  const int64_t most = all ? n : TopKCount(share, n);
  const bool whole = members * (1 + most) >= n;
  return {whole, whole && ByThreshold(conf) ? n : most};
}

}  // namespace

int64_t SparseSums::Bytes(const AllReduceProto& conf, const SliceTable& table, int members) {
  int64_t bytes = 0;
  for (const float share :
       ByThreshold(conf) ? std::vector<float>{conf.sparsity()} : TopKShares(conf)) {
    int64_t pairs = 0, floats = 0;
    for (const Slice& slice : table.slices()) {
      const Room room = RoomFor(conf, share, slice.size, members);
      (room.whole ? floats : pairs) += room.whole ? slice.size : 1 + room.most;
    }
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
      count_(std::ssize(slices)) {
  std::vector<UpdatePiece> pieces;
  std::vector<Room> rooms;
  for (SparseSlice& slice : slices) {
    rooms.push_back(RoomFor(conf, share_, slice.n, setup_.member.members));
    slice.most = rooms.back().most;
    slice.code = pairs_;
    (rooms.back().whole ? floats_ : pairs_) += rooms.back().whole ? slice.n : 1 + slice.most;
    UpdatePiece& piece = pieces.emplace_back();
    piece.g = slice.floats;
    piece.n = slice.n;
  }
  const Context& ctx = *setup_.ctx;
  try {
    whole_ = Allocate(ctx, {floats_});
    float* whole = whole_.data();
    for (size_t s = 0; s < slices.size(); ++s) {
      if (!rooms[s].whole) continue;
      slices[s].whole = whole;
      whole += slices[s].n;
    }
    slices_ = OnDevice(ctx, slices);
    pieces_ = OnDevice(ctx, pieces);
    found_ = OnDevice(ctx, std::vector<PieceFinding>(slices.size()));
    own_ = OnDevice(ctx, std::vector<OwnGradient>(1));
    bad_ = Allocate(ctx, {losses + count_});
    codes_ = Allocate(ctx, {(1 + setup_.member.members) * pairs_ * kPair}, DType::kU8);
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the codes of gradients: ", error.what()));
  }
}

// Loading a kernel may wait for the work of all GPUs. Members therefore meet before a transfer and
// after it has begun.
void SparseSums::AddUp(float* bad_losses, int64_t losses) {
  Context& ctx = *setup_.ctx;
  SumFindings(bad_losses, losses);
  const SparseRule rule = {setup_.momentum, masks_,      least_,          &own()->factor,
                           bad_.data(),     bad_.size(), ctx.device_state};
  SparsePair* const codes = codes_.as<SparsePair>();
  EncodeSparse(ctx, slices_.as<SparseSlice>(), count_, rule, codes);
  Exchange();
  AddUpSparse(ctx, slices_.as<SparseSlice>(), count_, bad_.data() + losses,
              {codes + pairs_, setup_.member.members, pairs_}, ctx.device_state);
}

void SparseSums::Exchange() {
  const Context& ctx = *setup_.ctx;
  setup_.stream->Await(*ctx.stream->Record());
  if (pairs_ > 0) {
    setup_.meet();
    std::byte* const codes = codes_.as<std::byte>();
    setup_.group->AllGather(codes, codes + pairs_ * kPair, pairs_ * kPair, *setup_.stream);
    setup_.meet();
  }
  if (floats_ > 0) {
    setup_.meet();
    setup_.group->Sum(whole_.data(), floats_, *setup_.stream);
    setup_.meet();
  }
  ctx.stream->Await(*setup_.stream->Record());
}

void SparseSums::SumFindings(float* bad_losses, int64_t losses) {
  Context& ctx = *setup_.ctx;
  InspectPieces(ctx, pieces_.as<UpdatePiece>(), count_, setup_.clip_norm > 0,
                found_.as<PieceFinding>());
  JudgeOwn(ctx, found_.as<PieceFinding>(), count_, setup_.clip_norm, setup_.member.members,
           ctx.device_state, bad_.data() + losses, own_.as<OwnGradient>());
  CopyFloats(ctx, bad_losses, bad_.data(), losses);
  setup_.meet();
  setup_.stream->Await(*ctx.stream->Record());
  setup_.group->Sum(bad_.data(), bad_.size(), *setup_.stream);
  ctx.stream->Await(*setup_.stream->Record());
  setup_.meet();
  CopyFloats(ctx, bad_.data(), bad_losses, losses);
}

}  // namespace singa
