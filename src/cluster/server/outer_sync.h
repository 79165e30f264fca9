// OuterSync is the model of kOuter (DiLoCo): server groups train sync_freq steps by themselves. The
// mean of their changes is then a gradient for a step of Nesterov's momentum, whose result all
// groups go on with. They wait for it, slice by slice. Source: Douillard et al., DiLoCo:
// Distributed Low-Communication Training of Language Models, arXiv:2311.08105; the step is that of
// PyTorch's SGD with nesterov=True.
#pragma once

#include <array>
#include <vector>

#include "cluster/server/to_master_sync.h"

namespace singa {

class OuterSync final : public ToMasterSync {
 public:
  explicit OuterSync(const Setup& setup);

  void Start(int slice) override;
  std::span<const float> Model(int slice) override;
  bool Holds(int slice) const override { return in_flight(slice); }
  // Returns the group's own values and states, and the momentum at the slice's master.
  std::vector<Kept> StateOf(int slice) override;

 protected:
  bool InRounds() const override { return true; }
  bool Equalises() const override { return false; }
  bool Expects(int slice, int from, int origin, int hops) const override;
  // A round ends at each sync_freq-th step, and at the job's last one.
  bool IsDue(int slice, int64_t updates) const override;
  std::vector<float> Outward(int slice) override { return bases_.TakeChange(slice, values(slice)); }
  void AtHome(int slice) override { Take(slice, group(), Outward(slice).data()); }
  void Receive(const PartView& part, const float* change, int origin, int hops) override;
  void ReceiveReply(int slice, const float* model) override {
    bases_.Follow(slice, model, values(slice));
  }

 private:
  // A slice at its master.
  struct Outer {
    std::vector<float> values, momentum;
    std::vector<std::vector<float>> changes;  // by group
    std::vector<bool> came;                   // by group, in this round
  };
  void Take(int slice, int from, const float* change);
  void Step(Outer* outer) const;

  const float lr_, momentum_;
  const int64_t freq_, steps_;
  Bases bases_;
  std::vector<Outer> outer_;  // by place; of slices that have their masters elsewhere, empty
  // By place: the updates that the slice has seen, as floats for a checkpoint: n / 2^20, n % 2^20.
  using Counted = std::array<float, 2>;
  std::vector<Counted> counts_;
  bool warned_ = false;
};

}  // namespace singa
