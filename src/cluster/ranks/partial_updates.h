// PartialUpdates lets each process apply its own gradients to its own values. In each step the
// processes replace the values of one bucket, and the updater's states, by their means; the buckets
// take turns. (SINGA 3 calls this partial update.)
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/held_gradients.h"
#include "cluster/ranks/linked_updates.h"
#include "comm/collective/offset_link.h"
#include "train/reduce/exchange_state.h"

namespace singa {

class PartialUpdates final : public LinkedUpdates {
 public:
  explicit PartialUpdates(const Setup& setup) : LinkedUpdates(setup) {}
  ~PartialUpdates() override { StopExchange(); }

  // Throws ConfigError relative to the JobProto if workers divide a param.
  void Connect(const SliceTable& table, int64_t first) override;
  int64_t Bytes(const TrainedParams& trained) const override;
  bool has_model() const override { return false; }
  // Returns the means of the values and states. Rank 0 may put them into its replica until
  // BringOwnBack.
  std::vector<SliceState> ShareModel() override;
  void BringOwnBack() override;
  std::vector<StoredTensor> State() override;
  std::string_view state_kind() const override { return kOwnValuesState; }
  bool HasState(const std::string& name) const override;
  bool Restore(const std::map<std::string, std::vector<float>>& state) override;

  void Submit(Context& ctx, int slice, int64_t step, std::span<float* const> sums) override;
  void Finish(Context& ctx, int64_t step, int worker, int workers,
              std::span<float* const> sums) override;

 private:
  void AddNodes(int slice, std::span<float* const> sums) const;
  void Apply(Context& ctx, int slice, int64_t step, const float* gradient);
  bool LacksGradient(int64_t step) const;
  int TurnOf(int64_t step) const { return static_cast<int>(step % std::ssize(buckets_)); }
  void Average(int64_t step, const std::vector<int>& bucket);
  std::string NameOf(int slice) const;

  float share_ = 1;  // of the group's workers that this process has
  std::vector<std::vector<int>> buckets_;
  std::vector<int> bucket_of_;  // by slice
  std::unique_ptr<OffsetLink> link_;
  std::unique_ptr<LinkCollective> collective_;
  std::unique_ptr<HeldGradients> held_;  // null: gradients are applied at once
  // At rank 0: its own values and states, while the replica may have the model's; else empty.
  std::vector<float> own_;
  std::vector<float> saved_;  // that State returned
};

}  // namespace singa
