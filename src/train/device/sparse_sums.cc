#include "train/device/sparse_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/codec/largest_floats.h"
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

}  // namespace

// As floats, as TopKCodec has it. Floats above the threshold that find no room are sent later, so
// there must be room for all if nothing is fed back.
int64_t SparseSums::MostOf(const AllReduceProto& conf, int64_t n) {
  if (ByThreshold(conf) && !conf.error_feedback()) return n;
  const auto share = static_cast<int64_t>(std::ceil(static_cast<float>(n) * conf.sparsity()));
  return std::clamp<int64_t>(share, 1, n);
}

int64_t SparseSums::Bytes(const AllReduceProto& conf, const SliceTable& table, int members) {
  int64_t pairs = 0;
  for (const Slice& slice : table.slices()) pairs += 1 + MostOf(conf, slice.size);
  return (1 + members) * pairs * kPair;
}

SparseSums::SparseSums(const Setup& setup, const AllReduceProto& conf,
                       std::vector<SparseSlice> slices, int64_t losses)
    : setup_(setup),
      least_(ByThreshold(conf) ? MagnitudeBits(conf.threshold()) : 0),
      masks_(!ByThreshold(conf) && conf.factor_masking()),
      count_(std::ssize(slices)) {
  std::vector<UpdatePiece> pieces;
  for (SparseSlice& slice : slices) {
    slice.code = pairs_;
    slice.most = MostOf(conf, slice.n);
    pairs_ += 1 + slice.most;
    UpdatePiece& piece = pieces.emplace_back();
    piece.g = slice.floats;
    piece.n = slice.n;
  }
  const Context& ctx = *setup_.ctx;
  try {
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
  setup_.meet();
  setup_.stream->Await(*ctx.stream->Record());
  setup_.group->AllGather(reinterpret_cast<std::byte*>(codes),
                          reinterpret_cast<std::byte*>(codes + pairs_), pairs_ * kPair,
                          *setup_.stream);
  ctx.stream->Await(*setup_.stream->Record());
  setup_.meet();
  AddUpSparse(ctx, slices_.as<SparseSlice>(), count_, bad_.data() + losses,
              {codes + pairs_, setup_.member.members, pairs_}, ctx.device_state);
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
