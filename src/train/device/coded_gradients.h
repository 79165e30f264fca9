// CodedGradients adds up a group's gradients of which members send other numbers than all floats,
// and keeps the state of that compression on the device. There is a class for kTopK and kThreshold,
// and one for kPowerSGD.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "singa/proto/job.pb.h"
#include "train/device/gpu_sender.h"
#include "train/device/group_member.h"
#include "train/device/step_report.h"
#include "train/reduce/trained_params.h"

namespace singa {

class CodedGradients {
 public:
  // All that it has outlives the sums.
  struct Setup {
    const JobProto& job;
    const TrainedParams& trained;  // not divided
    const GpuSender& sender;
    Context* ctx;
    int64_t losses;  // of the findings of InspectLosses
  };
  virtual ~CodedGradients() = default;

  // Adds a slice of the gradients. REQUIRES: AddUp was not called.
  virtual void Add(int slice, float* gradient) = 0;
  // Returns whether the work of `step` differs from that of the steps before.
  virtual bool Changes(int64_t) const { return false; }
  // Called before each step.
  virtual void Begin(int64_t) {}
  // Replaces the gradients by their sums, and the findings of InspectLosses by theirs. Later work
  // of the context comes after the sums.
  virtual void AddUp(const GroupMember& member, int64_t step, float* bad_losses) = 0;
  // Forgets the group.
  virtual void Drop() = 0;
  // Returns the judgement on the member's own gradient, if the members bound theirs; else null.
  virtual const OwnGradient* own() const { return nullptr; }

  // These copy the state from the host, and to it.
  void Bring();
  void Download() const;

 protected:
  CodedGradients(const Setup& setup, int64_t state_floats);

  const Setup setup_;
  Tensor state_;
};

// Returns null if the job's compression is none of these.
std::unique_ptr<CodedGradients> MakeCodedGradients(const CodedGradients::Setup& setup);

// Returns the floats of a worker's state with the job's compression.
int64_t CompressionState(const AllReduceProto& conf, const TrainedParams& trained, float momentum);
// Returns the bytes of a GPU for what one of `members` and all others send. states: floats that the
// updater keeps for each value.
int64_t CompressionBytes(const AllReduceProto& conf, const TrainedParams& trained, int64_t states,
                         int members);

}  // namespace singa
