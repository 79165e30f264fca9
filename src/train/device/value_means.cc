#include "train/device/value_means.h"

#include <algorithm>
#include <utility>

#include "comm/collective/slice_buckets.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/memory.h"
#include "train/device/on_device.h"

namespace singa {

ValueMeans::ValueMeans(const SliceTable& table, const AllReduceProto& conf, Context* ctx,
                       int64_t losses)
    : ctx_(ctx), losses_(losses), bucket_of_(table.size()) {
  const auto buckets = BucketsOf(table, conf.fusion_elements());
  for (size_t b = 0; b < buckets.size(); ++b)
    for (const int s : buckets[b]) bucket_of_[s] = static_cast<int>(b);
  buckets_.resize(buckets.size());
  pieces_.resize(buckets.size());
}

int64_t ValueMeans::Bytes(const AllReduceProto& conf, const SliceTable& table, int64_t states) {
  const auto buckets = BucketsOf(table, conf.fusion_elements());
  return (1 + states) * MostFloats(table, buckets) * static_cast<int64_t>(sizeof(float));
}

void ValueMeans::Add(int slice, const UpdatePiece& piece) {
  Bucket& bucket = buckets_[bucket_of_[slice]];
  std::vector<MeanPiece>& pieces = pieces_[bucket_of_[slice]];
  const auto add = [&](float* x) {
    pieces.push_back({x, piece.n, bucket.floats});
    bucket.floats += piece.n;
  };
  add(piece.w);
  for (float* const state : piece.states)
    if (state) add(state);
  inspected_.push_back(piece);
}

void ValueMeans::Place() {
  std::vector<MeanPiece> all;
  int64_t most = 0;
  for (size_t b = 0; b < buckets_.size(); ++b) {
    buckets_[b].first = std::ssize(all);
    buckets_[b].count = std::ssize(pieces_[b]);
    most = std::max(most, buckets_[b].floats);
    all.insert(all.end(), pieces_[b].begin(), pieces_[b].end());
  }
  pieces_.clear();
  try {
    pieces_there_ = OnDevice(*ctx_, all);
    sums_ = Allocate(*ctx_, {most});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the means of values: ", error.what()));
  }
}

void ValueMeans::Inspect(const GroupMember& member, float* bad_losses, bool squares) {
  if (!findings_) {
    Place();
    findings_ = std::make_unique<GroupFindings>(member, std::exchange(inspected_, {}), losses_);
  }
  findings_->AddUp(bad_losses, squares);
}

void ValueMeans::Average(const GroupMember& member, int64_t step, const StepVerdict* verdict) {
  const Bucket& bucket = buckets_[step % std::ssize(buckets_)];
  if (bucket.count == 0) return;
  GroupMember own = member;
  if (averages_++ >= std::ssize(buckets_)) own.meet = [] {};  // all kernels are loaded
  const auto* const pieces = pieces_there_.as<MeanPiece>() + bucket.first;
  TakeShares(*ctx_, pieces, bucket.count, 1 / static_cast<float>(member.number.members),
             sums_.data());
  own.Transfer([&] { member.group->Sum(sums_.data(), bucket.floats, *member.stream); });
  SetMeans(*ctx_, pieces, bucket.count, verdict, sums_.data());
}

}  // namespace singa
