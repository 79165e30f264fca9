#include "train/device/value_means.h"

#include <algorithm>
#include <utility>

#include "comm/collective/slice_buckets.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/memory.h"
#include "train/device/on_device.h"
#include "train/reduce/exchange_state.h"

namespace singa {

constinit const GpuCompression ValueMeans::kCompression = {
    .state_kind = kOwnValuesState,
    .has_own_values = true,
    .parts = Parts,
    .make = [](const Setup& setup) -> std::unique_ptr<CompressedExchange> {
      return std::make_unique<ValueMeans>(setup);
    },
    .message_bytes = MessageBytes};

std::vector<StatePart> ValueMeans::Parts(const CompressedParams& params) {
  const SliceTable& table = params.trained.table;
  std::vector<StatePart> parts;
  parts.reserve(table.size());
  for (int s = 0; s < table.size(); ++s)
    parts.push_back({StrCat("slice", s), Shape({1 + params.states, table[s].size})});
  return parts;
}

// One bucket is under way at a time.
int64_t ValueMeans::MessageBytes(const CompressedParams& params, int) {
  const SliceTable& table = params.trained.table;
  const auto buckets = BucketsOf(table, params.conf.fusion_elements());
  return (1 + params.states) * MostFloats(table, buckets) * static_cast<int64_t>(sizeof(float));
}

ValueMeans::ValueMeans(const Setup& setup)
    : CompressedExchange(setup), bucket_of_(setup.trained.table.size()) {
  const auto buckets =
      BucketsOf(setup_.trained.table, setup_.job.cluster().all_reduce().fusion_elements());
  for (size_t b = 0; b < buckets.size(); ++b)
    for (const int s : buckets[b]) bucket_of_[s] = static_cast<int>(b);
  buckets_.resize(buckets.size());
  pieces_.resize(buckets.size());
}

void ValueMeans::Add(int slice, float*, const UpdatePiece& piece, float* average) {
  Bucket& bucket = buckets_[bucket_of_[slice]];
  std::vector<MeanPiece>& pieces = pieces_[bucket_of_[slice]];
  const auto add = [&](float* x) {
    pieces.push_back({x, piece.n, bucket.floats});
    bucket.floats += piece.n;
  };
  add(piece.w);
  for (float* const state : piece.states)
    if (state) add(state);
  if (average) add(average);
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
    pieces_there_ = OnDevice(*setup_.ctx, all);
    sums_ = Allocate(*setup_.ctx, {most});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the means of values: ", error.what()));
  }
}

void ValueMeans::AddUp(const GroupMember& member, int64_t, float* bad_losses) {
  if (!findings_) {
    Place();
    findings_ =
        std::make_unique<GroupFindings>(member, std::exchange(inspected_, {}), setup_.losses);
  }
  findings_->AddUp(bad_losses, setup_.job.updater().clip_norm() > 0);
}

// The mean of all members' updates is one of the group's gradient.
bool ValueMeans::AddFindings(StepEvidence* evidence) const {
  evidence->pieces = findings_->own_pieces();
  evidence->bad_pieces = findings_->of_pieces();
  evidence->factor = static_cast<float>(findings_->members());
  return true;
}

void ValueMeans::Updated(const GroupMember& member, int64_t step, const StepVerdict* verdict) {
  const Bucket& bucket = buckets_[step % std::ssize(buckets_)];
  if (bucket.count == 0) return;
  GroupMember own = member;
  if (averages_++ >= std::ssize(buckets_)) own.meet = [] {};  // all kernels are loaded
  const auto* const pieces = pieces_there_.as<MeanPiece>() + bucket.first;
  TakeShares(*setup_.ctx, pieces, bucket.count, 1 / static_cast<float>(member.number.members),
             sums_.data());
  own.Transfer([&] { member.group->Sum(sums_.data(), bucket.floats, *member.stream); });
  SetMeans(*setup_.ctx, pieces, bucket.count, verdict, sums_.data());
}

// Returns the values of each param, and then its states.
ParamCopies ValueMeans::Copies() const {
  ParamCopies copies = *setup_.states;
  for (size_t p = 0; p < copies.size(); ++p)
    copies[p].insert(copies[p].begin(), setup_.trained.own[p]->data);
  return copies;
}

void ValueMeans::Upload() {
  if (!setup_.leads && !setup_.sender.state->empty())
    UploadOwnValues(*setup_.ctx, setup_.trained.table, *setup_.sender.state, Copies());
}

void ValueMeans::Download() const {
  *setup_.sender.state = DownloadOwnValues(*setup_.ctx, setup_.trained.table, Copies());
}

}  // namespace singa
