// RankUpdates adds each gradient up over the processes, and applies the sum in each of them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/client/codec_state.h"
#include "cluster/client/gradient_encoder.h"
#include "cluster/client/held_gradients.h"
#include "cluster/ranks/linked_updates.h"
#include "cluster/ranks/low_rank_sums.h"
#include "cluster/ranks/rank_sums.h"

namespace singa {

class RankUpdates final : public LinkedUpdates {
 public:
  // `codec`: of gradients; it must outlive the updates. clip_norm: of the group's gradients, if
  // each process clips its own; else 0.
  RankUpdates(const Setup& setup, const Codec& codec, float clip_norm = 0)
      : LinkedUpdates(setup), codec_(codec), clip_norm_(clip_norm) {}
  ~RankUpdates() override { StopExchange(); }

  void Connect(const SliceTable& table, int64_t first) override;
  int64_t Bytes(const TrainedParams& trained) const override;
  bool has_model() const override;
  std::vector<SliceState> ShareModel() override;
  std::vector<StoredTensor> State() override;
  std::string_view state_kind() const override {
    return by_low_rank() ? kLowRankState : kCodecState;
  }
  bool HasState(const std::string& name) const override;
  bool Restore(const std::map<std::string, std::vector<float>>& state) override;
  double TakeWorkMs() override { return low_rank_ ? low_rank_->TakeWorkMs() : 0; }

  bool needs_all() const override { return holds() || LinkedUpdates::needs_all(); }
  void Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers,
              std::span<float* const> sums) override;

 private:
  CodecState codec_state() const;
  bool by_low_rank() const {
    return setup_.job.cluster().all_reduce().compression() == AllReduceProto::kPowerSGD;
  }
  // Returns whether gradients are encoded when all are there: a step without effect changes no
  // residual, and clipping needs the norm.
  bool holds() const { return rule_.skips || clip_norm_ > 0; }
  void EncodeHeld(int64_t step, int worker, int workers);
  void MakeLowRank();
  // Returns whether others may get the slice's gradient from the worker's own memory, without a
  // copy. Memory that `Stays` is overwritten when this process has the sum, and so all others have
  // the gradient. The room of a gradient that comes in pieces is overwritten by the next piece.
  bool MayLend(const Slice& slice) const;
  bool Stays(int slice, const float* gradient) const;
  void Encode(int64_t step, int slice, std::span<float* const> sums);
  BucketExchange::Setup ExchangeSetup(int64_t first);
  void Exchange(int64_t step, int64_t exchange, const std::vector<int>& bucket);
  RankSums::Take TakeOf(int64_t step);
  void Take(int64_t step, int slice, std::span<const float> sum);
  bool LacksGradient(int64_t step) const;
  void ApplyAll(Context& ctx, int64_t step);

  const Codec& codec_;
  const float clip_norm_;
  std::unique_ptr<GradientEncoder> encoder_;
  std::unique_ptr<RankSums> sums_;
  std::unique_ptr<LowRankSums> low_rank_;  // null: the job does not ask for it
  std::vector<EncodedFloats> own_;         // by slice: what the workers here have added up
  std::unique_ptr<HeldGradients> held_;    // null: gradients are encoded at once
  std::vector<std::vector<float>> whole_;  // by slice, if updates need all: the sum over the group
};

}  // namespace singa
