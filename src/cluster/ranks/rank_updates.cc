#include "cluster/ranks/rank_updates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/thread/activity_mark.h"
#include "base/thread/counted_time.h"
#include "math/finite.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/apply/not_finite.h"
#include "train/reduce/exchange_state.h"

namespace singa {

void RankUpdates::Connect(const SliceTable& table, int64_t first) {
  table_ = table;
  const auto buckets = GradientBuckets(table_, setup_.job.cluster().all_reduce());
  sums_ = std::make_unique<RankSums>(setup_.topology, table_, codec_, buckets, setup_.link);
  encoder_ = std::make_unique<GradientEncoder>(codec_, table_, setup_.topology, rank(), kGroup);
  MakeLowRank();
  own_.resize(table_.size());
  if (holds())
    held_ = std::make_unique<HeldGradients>(table_, clip_norm_,
                                            ContributingProcesses(setup_.topology, kGroup, table_));
  whole_.resize(table_.size());
  StartExchange(ExchangeSetup(first));
}

BucketExchange::Setup RankUpdates::ExchangeSetup(int64_t first) {
  BucketExchange::Setup setup = {
      .table = table_,
      .buckets = GradientBuckets(table_, setup_.job.cluster().all_reduce()),
      .waits = {},
      .first_step = first,
      .exchange = [this](int64_t step, int64_t exchange,
                         const std::vector<int>& bucket) { Exchange(step, exchange, bucket); },
      .deadline = setup_.deadline,
      .fresh = [this](int slice, int64_t step) { NoteFresh(slice, step); }};
  for (int s = 0; s < table_.size(); ++s)
    setup.waits.push_back(sums_->contributes(s) || sums_->takes(s));
  if (low_rank_) return setup;
  setup.released = [this](int64_t, int64_t exchange, const std::vector<int>& bucket) {
    sums_->SendParts(exchange, bucket, own_);
  };
  setup.begin = [this](int64_t step, int64_t exchange, const std::vector<int>& bucket) {
    sums_->AddUpOwn(exchange, bucket, own_, TakeOf(step));
  };
  return setup;
}

void RankUpdates::MakeLowRank() {
  const AllReduceProto& conf = setup_.job.cluster().all_reduce();
  if (!by_low_rank()) return;
  std::vector<Shape> shapes;
  shapes.reserve(table_.params());
  for (int param = 0; param < table_.params(); ++param)
    shapes.push_back(setup_.replica->param(table_.OfParam(param).first).shape());
  low_rank_ = std::make_unique<LowRankSums>(table_, shapes,
                                            LowRankSums::Options{.rank = conf.rank(),
                                                                 .share = share(),
                                                                 .corrects = conf.error_feedback(),
                                                                 .seed = setup_.job.seed()},
                                            sums_.get(), setup_.link);
}

int64_t RankUpdates::Bytes(const TrainedParams& trained) const {
  const SliceTable& table = trained.table;
  const int64_t values = table.elements();
  const int64_t nodes = std::ssize(setup_.topology.NodesOf(rank(), kGroup));
  const int64_t whole = rule_.needs_all() ? values * static_cast<int64_t>(sizeof(float)) : 0;
  const int64_t matrices = by_low_rank() ? 2 * values * static_cast<int64_t>(sizeof(float)) : 0;
  const auto buckets = GradientBuckets(table, setup_.job.cluster().all_reduce());
  const int64_t sums =
      by_low_rank() ? 0 : RankSums::Bytes(table, codec_, buckets, setup_.link->size(), nodes);
  int64_t encoded = 0;
  for (const Slice& slice : table.slices())
    if (!MayLend(slice) || trained.in_pieces[slice.param]) encoded += slice.size;
  return codec_.MostBytes(encoded * nodes) + codec_state().bytes(values) + whole + matrices + sums;
}

CodecState RankUpdates::codec_state() const {
  return CodecState(codec_, setup_.topology, rank(), table_, {{kGroup, encoder_.get()}});
}

std::vector<StoredTensor> RankUpdates::State() {
  return low_rank_ ? low_rank_->State(PrefixOf(kLowRankState)) : codec_state().Tensors();
}

bool RankUpdates::HasState(const std::string& name) const {
  return by_low_rank() ? LowRankSums::HasState(PrefixOf(kLowRankState), name)
                       : codec_state().Has(name);
}

bool RankUpdates::Restore(const std::map<std::string, std::vector<float>>& state) {
  if (low_rank_) return low_rank_->Restore(PrefixOf(kLowRankState), state);
  return codec_state().Set(state).empty();
}

// Take checks the sums over the group.
void RankUpdates::Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) {
  if (!CheckFinite(ctx, slice, step, sums)) return;
  if (held_) return held_->Hold(ctx, slice, step, sums);
  Encode(step, slice, sums);
  exchange_->Release(slice, step);
}

bool RankUpdates::MayLend(const Slice& slice) const {
  const bool one_worker = setup_.topology.WorkersIn(rank(), kGroup) == 1;
  return codec_.plain() && one_worker && slice.by.all() && setup_.link->sends_once();
}

bool RankUpdates::Stays(int slice, const float* gradient) const {
  const Tensor& whole = setup_.replica->param(slice).grad;
  return held_ || (!whole.empty() && gradient == whole.data() + table_[slice].begin);
}

void RankUpdates::Encode(int64_t step, int slice, std::span<float* const> sums) {
  const CountedTime counts(&coded_);
  if (MayLend(table_[slice]) && Stays(slice, sums[0]))
    own_[slice] = Plain(Frame(nullptr, sums[0], table_[slice].size * sizeof(float)));
  else
    own_[slice] = encoder_->Encode(step, slice, sums);
}

void RankUpdates::Exchange(int64_t step, int64_t exchange, const std::vector<int>& bucket) {
  if (low_rank_)
    low_rank_->AddUp(exchange, bucket, own_, TakeOf(step));
  else
    sums_->TakeOthers(exchange, bucket, TakeOf(step));
  if (!rule_.needs_all()) exchange_->MarkFresh(step, bucket);  // also slices that nobody here reads
}

RankSums::Take RankUpdates::TakeOf(int64_t step) {
  return [this, step](int slice, std::span<const float> sum) { Take(step, slice, sum); };
}

void RankUpdates::Take(int64_t step, int slice, std::span<const float> sum) {
  if (rule_.needs_all()) return whole_[slice].assign(sum.begin(), sum.end());
  Context ctx;
  if (!AllFinite(ctx, sum.data(), std::ssize(sum))) {
    const Param& param = setup_.replica->param(slice);
    throw DivergedError(GradientNotFiniteText(ParamText(param.name(), param.layer()), step));
  }
  setup_.replica->Apply(ctx, slice, step, sum.data());
}

bool RankUpdates::LacksGradient(int64_t step) const {
  for (int s = 0; s < table_.size(); ++s)
    if (sums_->contributes(s) && !held_->Has(s, step)) return true;
  return false;
}

// Worker `worker` of `workers` encodes its share of the slices. It begins with the slices that are
// exchanged first, so that their exchange overlaps with encoding.
void RankUpdates::EncodeHeld(int64_t step, int worker, int workers) {
  const double norm = held_->Clip(step, worker, workers);
  if (worker == 0) norm_ = norm;
  for (int s = table_.size() - 1; s >= 0; --s) {
    if (s % workers != worker || !held_->Has(s, step)) continue;
    Encode(step, s, held_->sums(s));
    exchange_->Release(s, step);
  }
}

// If steps are skipped, the first worker alone hears whether this one is, and encodes all.
void RankUpdates::Finish(Context& ctx, int64_t step, int worker, int workers,
                         std::span<float* const>) {
  if (held_ && !rule_.skips) EncodeHeld(step, worker, workers);
  if (worker > 0) return;
  NoteStep(step);
  const ActivityMark::Scope waits(ctx.mark, Activity::kAwaitsProcesses);
  const CountedTime counts(&waited_);
  if (rule_.skips) {
    if (const LackingProcesses lacking = WhoLacks(LacksGradient(step))) return Skip(step, lacking);
    EncodeHeld(step, 0, 1);
  }
  // Nobody here reads the values in this step any more, so updates may come to which this process
  // contributes nothing.
  exchange_->Release(step, [&](int s) { return !sums_->contributes(s); });
  ExchangeHere(step);
  if (!rule_.needs_all()) return;
  exchange_->AwaitExchanged(step);
  ApplyAll(ctx, step);
}

// All processes judge the step by the same squares.
void RankUpdates::ApplyAll(Context& ctx, int64_t step) {
  std::vector<double> squares(table_.size());
  for (int s = 0; s < table_.size(); ++s)
    if (sums_->owner(s) == rank()) squares[s] = SumOfSquares(ctx, whole_[s].data(), table_[s].size);
  setup_.between->AllReduceOfRanks(squares);
  double sum = 0;
  for (const double square : squares) sum += square;
  const StepVerdict verdict = rule_.Judge(sum);
  if (verdict.dropped && rule_.skips) return Skip(step);
  if (verdict.dropped)
    throw DivergedError(StrCat("step ", step, ": the norm of the gradient is not finite"));
  if (clip_norm_ == 0) norm_ = std::sqrt(sum);
  std::vector<int> all(table_.size());
  std::iota(all.begin(), all.end(), 0);
  for (const int s : all) {
    if (!sums_->takes(s)) continue;
    if (verdict.scale != 1)
      for (float& x : whole_[s]) x *= verdict.scale;
    setup_.replica->Apply(ctx, s, step, whole_[s].data());
  }
  exchange_->MarkFresh(step, all);
}

// A process lacks the slices that workers of others alone have.
bool RankUpdates::has_model() const {
  return std::ranges::all_of(table_.slices(), [](const Slice& slice) { return slice.by.all(); });
}

// The owner of each divided slice sends its state to the others. A process that receives more
// slowly keeps what comes early, so the processes meet before that is too much (ProcessLink keeps
// 64 MiB).
std::vector<SliceState> RankUpdates::ShareModel() {
  constexpr int64_t kBetweenMeetings = 1 << 22;  // floats
  std::vector<SliceState> states(table_.size());
  int64_t floats = 0;  // since the last meeting
  for (int s = 0; s < table_.size(); ++s) {
    SliceState& state = states[s];
    state.count = setup_.replica->count_of(s);
    state.floats = setup_.replica->Floats(s);
    if (table_[s].by.all()) continue;
    setup_.between->Broadcast(sums_->owner(s), std::as_writable_bytes(std::span(&state.count, 1)));
    setup_.between->Broadcast(sums_->owner(s), std::as_writable_bytes(std::span(state.floats)));
    floats += std::ssize(state.floats);
    if (floats < kBetweenMeetings) continue;
    double none = 0;
    setup_.between->AllReduceOfRanks({&none, 1});
    floats = 0;
  }
  return states;
}

}  // namespace singa
