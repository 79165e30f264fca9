#include "cluster/ranks/partial_updates.h"

#include <algorithm>
#include <utility>

#include "base/thread/activity_mark.h"
#include "base/thread/counted_time.h"
#include "cluster/ranks/mean_model.h"
#include "comm/collective/link_tags.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

void PartialUpdates::Connect(const SliceTable& table, int64_t first) {
  for (const Slice& slice : table.slices())
    if (!slice.by.all())
      throw ConfigError("cluster.all_reduce.compression",
                        "kPartial needs all layers divided by rows (partition_dim: 0)");
  table_ = table;
  share_ = share();
  buckets_ = BucketsOf(table_, setup_.job.cluster().all_reduce().fusion_elements());
  bucket_of_.resize(table_.size());
  for (size_t b = 0; b < buckets_.size(); ++b)
    for (const int s : buckets_[b]) bucket_of_[s] = static_cast<int>(b);
  link_ = std::make_unique<OffsetLink>(setup_.link, kGradientTags);
  collective_ =
      std::make_unique<LinkCollective>(link_.get(), LinkCollective::OneNodeEach(link_->size()));
  if (needs_all())
    held_ = std::make_unique<HeldGradients>(
        table_, rule_.clip_norm > 0 ? rule_.clip_norm : HeldGradients::kUnbounded, 1);
  StartExchange({.table = table_,
                 .buckets = buckets_,
                 .waits = std::vector<bool>(table_.size(), true),
                 .first_step = first,
                 .exchange = [this](int64_t step, int64_t,
                                    const std::vector<int>& bucket) { Average(step, bucket); },
                 .deadline = setup_.deadline,
                 .fresh = [this](int slice, int64_t step) { NoteFresh(slice, step); }});
}

// The floats of a bucket, and those of a checkpoint.
int64_t PartialUpdates::Bytes(const TrainedParams& trained) const {
  const auto copies = static_cast<int64_t>(1 + setup_.replica->state_count());
  return 2 * copies * trained.table.elements() * static_cast<int64_t>(sizeof(float));
}

// Sets sums[0] to this process's own mean gradient. Its sum is divided by the rows of the whole
// group; the mean of all processes' updates is then one of the group's gradient. It is not finite
// if a sum is not, or if no float32 holds it.
void PartialUpdates::AddNodes(int slice, std::span<float* const> sums) const {
  const int64_t n = table_[slice].size;
  for (size_t node = 1; node < sums.size(); ++node)
    for (int64_t i = 0; i < n; ++i) sums[0][i] += sums[node][i];
  for (int64_t i = 0; i < n; ++i) sums[0][i] /= share_;
}

void PartialUpdates::Apply(Context& ctx, int slice, int64_t step, const float* gradient) {
  setup_.replica->Apply(ctx, slice, step, gradient);
  if (bucket_of_[slice] != TurnOf(step)) exchange_->MarkFresh(step, {&slice, 1});
  exchange_->Release(slice, step);
}

void PartialUpdates::Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) {
  AddNodes(slice, sums);
  const auto own = sums.first(1);
  if (!CheckFinite(ctx, slice, step, own)) return;
  if (held_)
    held_->Hold(ctx, slice, step, own);
  else
    Apply(ctx, slice, step, own[0]);
}

bool PartialUpdates::LacksGradient(int64_t step) const {
  for (int s = 0; s < table_.size(); ++s)
    if (!held_->Has(s, step)) return true;
  return false;
}

// Each process bounds the norm of its own gradient.
void PartialUpdates::Finish(Context& ctx, int64_t step, int worker, int, std::span<float* const>) {
  if (worker > 0) return;
  NoteStep(step);
  const ActivityMark::Scope waits(ctx.mark, Activity::kAwaitsProcesses);
  const CountedTime counts(&waited_);
  if (held_) {
    const bool lacks = LacksGradient(step);
    const LackingProcesses lacking = rule_.skips ? WhoLacks(lacks) : LackingProcesses();
    if (lacking) return Skip(step, lacking);
    if (lacks) return Check();
    norm_ = held_->Clip(step);
    for (int s = 0; s < table_.size(); ++s) Apply(ctx, s, step, held_->sums(s)[0]);
  }
  ExchangeHere(step);
}

// Replaces the values and states of the bucket by their means, if it is its turn.
void PartialUpdates::Average(int64_t step, const std::vector<int>& bucket) {
  if (bucket_of_[bucket[0]] != TurnOf(step)) return;
  std::vector<float> all;
  int64_t values = 0;
  for (const int s : bucket) values += table_[s].size;
  all.reserve(values * (1 + setup_.replica->state_count()));
  for (const int s : bucket)
    for (const float x : setup_.replica->Floats(s)) all.push_back(x * share_);
  collective_->AllReduce(all);
  auto at = all.begin();
  const auto copies = static_cast<int64_t>(1 + setup_.replica->state_count());
  for (const int s : bucket) {
    const auto end = at + copies * table_[s].size;
    setup_.replica->SetFloats(s, setup_.replica->count_of(s), {at, end});
    at = end;
  }
  exchange_->MarkFresh(step, bucket);
}

std::vector<SliceState> PartialUpdates::ShareModel() {
  std::vector<float> own = std::exchange(own_, {});
  if (own.empty()) own = setup_.replica->AllFloats();
  std::vector<SliceState> model = MeanModel(*setup_.replica, {own}, share_, setup_.between);
  if (rank() == 0) own_ = std::move(own);
  return model;
}

void PartialUpdates::BringOwnBack() {
  if (!own_.empty()) setup_.replica->SetAllFloats(std::exchange(own_, {}));
}

std::string PartialUpdates::NameOf(int slice) const {
  return StrCat(PrefixOf(kOwnValuesState), "slice", slice);
}

std::vector<StoredTensor> PartialUpdates::State() {
  saved_ = own_.empty() ? setup_.replica->AllFloats() : own_;
  std::vector<StoredTensor> tensors;
  const auto copies = static_cast<int64_t>(1 + setup_.replica->state_count());
  const float* from = saved_.data();
  for (int s = 0; s < table_.size(); ++s) {
    const StoredTensor& made =
        tensors.emplace_back(Stored(NameOf(s), Shape({copies, table_[s].size}), from));
    from += made.shape.size();
  }
  return tensors;
}

bool PartialUpdates::HasState(const std::string& name) const {
  return name.starts_with(PrefixOf(kOwnValuesState));
}

bool PartialUpdates::Restore(const std::map<std::string, std::vector<float>>& state) {
  bool all = true;
  for (int s = 0; s < table_.size(); ++s) {
    const auto found = state.find(NameOf(s));
    const std::vector<float> here = setup_.replica->Floats(s);
    if (found == state.end() || found->second.size() != here.size())
      all = false;
    else
      setup_.replica->SetFloats(s, setup_.replica->count_of(s), found->second);
  }
  return all;
}

}  // namespace singa
