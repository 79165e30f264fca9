// OwnFindings has what the GPU of a group's worker finds about the worker's own losses and
// gradients, so that an error can name the worker. Sums over the group then replace both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "singa/tensor/context.h"
#include "tensor/gpu/gpu_group.h"
#include "train/device/step_report.h"

namespace singa {

class OwnFindings {
 public:
  // `losses`: those of InspectLosses. `ctx` must outlive it. Throws DeviceError.
  OwnFindings(Context* ctx, int64_t losses);

  // Returns where InspectLosses writes what it finds about the worker's losses.
  float* bad_losses() { return bad_losses_.data(); }

  // Adds the next piece of the whole model. piece.n is 0 if this worker does not have it.
  void Add(const UpdatePiece& piece);
  // Copies the pieces to the device. Throws DeviceError.
  void Place();
  // Inspects the pieces whose gradients lie in `floats`, in the order of the stream's work.
  void Inspect(Stream* stream, std::span<const float> floats);
  // Inspects all pieces, in the order of the context's work.
  void InspectAll();

  // Return whether the worker's own loss, or its gradient of a piece, is not finite. They wait for
  // the context's work.
  bool LossIsBad(int64_t loss) const;
  bool PieceIsBad(int64_t piece) const;

 private:
  void InspectSome(Stream* stream, int64_t first, int64_t last);

  Context* const ctx_;
  std::vector<UpdatePiece> pieces_;      // that the worker has; once they are placed, by address
  std::vector<const float*> gradients_;  // by piece of the whole model; null: another worker's
  Tensor bad_losses_, there_, found_;    // there_: the pieces
};

// Tells all members of a group whether the reason for an error is this member's own. Returns the
// first member that says so; -1: none does. All call it at the same time.
int FirstOf(GroupSum* group, const GpuMember& member, bool is_own);

}  // namespace singa
