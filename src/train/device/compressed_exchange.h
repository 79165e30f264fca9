// CompressedExchange is what a GPU exchanges with its group in place of whole gradients. There is a
// class for each way to do so (gpu_compression.h).
#pragma once

#include <cstdint>

#include "singa/proto/job.pb.h"
#include "train/device/gpu_sender.h"
#include "train/device/group_member.h"
#include "train/device/own_values.h"
#include "train/device/step_report.h"
#include "train/reduce/trained_params.h"

namespace singa {

class CompressedExchange {
 public:
  // All that it has outlives the exchange.
  struct Setup {
    const JobProto& job;
    const TrainedParams& trained;  // not divided
    const GpuSender& sender;
    Context* ctx;
    int64_t losses;                       // of the findings of InspectLosses
    bool leads = true;                    // the replica's values are this worker's own
    const ParamCopies* states = nullptr;  // of the updater, by param; not null with kPartial
  };
  virtual ~CompressedExchange() = default;

  // Adds a slice that updates change. gradient: the piece's. `average`: of its values; null: none.
  // REQUIRES: AddUp was not called.
  virtual void Add(int slice, float* gradient, const UpdatePiece& piece, float* average) = 0;
  // Returns whether the work of `step` differs from that of the steps before.
  virtual bool Changes(int64_t) const { return false; }
  // Called before each step.
  virtual void Begin(int64_t) {}
  // Replaces the findings of InspectLosses by their sums over the group, and the gradients by
  // theirs, unless each member applies its own. Later work of the context comes after the sums.
  virtual void AddUp(const GroupMember& member, int64_t step, float* bad_losses) = 0;
  // Adds what AddUp has found to the evidence. Returns whether that has all findings about pieces.
  virtual bool AddFindings(StepEvidence*) const { return false; }
  // Returns whether the member's own gradient of a piece is not finite. Pieces count in the order
  // of Add. REQUIRES: AddUp was called.
  virtual bool OwnIsBad(int64_t piece) const = 0;
  // Called after the updates of `step`, in the order of the context's work.
  virtual void Updated(const GroupMember&, int64_t, const StepVerdict*) {}
  // Forgets the group.
  virtual void Drop() = 0;

  // These copy the worker's state from the host, and to it.
  virtual void Upload() = 0;
  virtual void Download() const = 0;

 protected:
  explicit CompressedExchange(const Setup& setup) : setup_(setup) {}

  const Setup setup_;
};

}  // namespace singa
