// OuterSync is the model of kOuter (DiLoCo): server groups train sync_freq steps by themselves. The
// mean of their changes is then a gradient for a step of Nesterov's momentum, which all groups add
// to the model and go on with. They wait for it, slice by slice, or train on and take it exactly
// outer_overlap steps after the round's end. Changes and steps travel by the codec of
// outer_compression. Sources: Douillard et al., DiLoCo: Distributed Low-Communication Training of
// Language Models, arXiv:2311.08105; for fragments, which end their rounds at different steps, and
// overlap, Douillard et al., Streaming DiLoCo with overlapping communication, arXiv:2501.18512. The
// step is that of PyTorch's SGD with nesterov=True.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cluster/server/to_master_sync.h"

namespace singa {

// The starts of the names of state that a slice's master saves for all server groups.
inline constexpr char kOuterMomentum[] = "outer/momentum/", kOuterEnded[] = "outer/ended/";

class OuterSync final : public ToMasterSync {
 public:
  explicit OuterSync(const Setup& setup);

  const Codec& codec() const override { return *codec_; }
  void Start(int slice) override;
  std::span<const float> Model(int slice) override { return models_[slice]; }
  bool Holds(int slice) const override { return in_flight(slice) && !Overlaps(slice); }
  // Returns the group's own values and states, the codec's state, and an outer step that has come
  // early; at the slice's master also the momentum, and whether the job's last round has ended.
  std::vector<Kept> StateOf(int slice) override;

 protected:
  bool InRounds() const override { return true; }
  bool Equalises() const override { return false; }
  bool Expects(int slice, int from, int origin, int hops) const override;
  void OnUpdate(int slice) override;
  // A round ends at each sync_freq-th step, less the fragment's lead, and at the job's last step.
  bool IsDue(int slice, int64_t updates) const override;
  EncodedFloats FloatsToSend(int slice) override { return Encoded(slice, Change(slice)); }
  void ExchangeUnsent(int slice) override { Take(slice, group(), Change(slice).data()); }
  void Receive(const PartView& part, const float* change, int origin, int hops) override;
  // Takes the outer step, as all groups decode it, or keeps it until it is due.
  void ReceiveReply(int slice, const float* step) override;

 private:
  // A slice at its master.
  struct Outer {
    std::vector<float> momentum;
    std::vector<std::vector<float>> changes;  // by group
    std::vector<bool> came;                   // by group, in this round
  };
  // Returns the start of the names of the slice's own state in a checkpoint.
  std::string NameOf(int slice) const;
  // Returns whether the group trains on while the exchange of the last round is under way.
  bool Overlaps(int slice) const;
  // Adds the outer step that has come to the model, and brings the group's values to it.
  void Merge(int slice);
  // Returns what the group has changed since the last outer step.
  std::vector<float> Change(int slice);
  EncodedFloats Encoded(int slice, std::vector<float> floats);
  void Take(int slice, int from, const float* change);
  // Returns the outer step, and begins a round.
  std::vector<float> Step(Outer* outer) const;

  const float lr_, momentum_, mixing_;
  const int64_t freq_, overlap_, steps_;
  const std::unique_ptr<const Codec> codec_;
  const std::vector<int64_t> leads_;  // by slice of the job: steps
  Bases models_;  // after the last outer step that was taken, the same in all groups
  std::vector<std::vector<float>> early_;  // by place: the outer step that is not due yet, or none
  std::vector<std::vector<float>> rests_;  // by place: the codec's state
  std::vector<Outer> outer_;  // by place; of slices that have their masters elsewhere, empty
  std::vector<std::vector<float>> ends_;  // by place: {1} after the job's last step, else none
  // By place: the updates that the slice has seen, as floats for a checkpoint: n / 2^20, n % 2^20.
  using Counted = std::array<float, 2>;
  std::vector<Counted> counts_;
  bool warned_ = false;
};

}  // namespace singa
