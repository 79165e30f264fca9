// GroupFindings tells the members of a group what each has found about its own losses and gradient,
// so that all leave out the same steps, before a gradient changes any state.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/codec/rank_findings.h"
#include "train/device/group_member.h"
#include "train/device/step_report.h"

namespace singa {

class GroupFindings {
 public:
  // pieces: of the member's gradient. Throws DeviceError.
  GroupFindings(GroupMember member, const std::vector<UpdatePiece>& pieces, int64_t losses);

  // Inspects the gradient, and adds its findings up with those of InspectLosses,
  // bad_losses[losses], which become the sums. clip_norm: as in JudgeOwn; squares: of the gradient
  // are needed.
  void AddUp(float* bad_losses, bool squares, float clip_norm = 0);

  // Returns the sums: of losses, then of pieces.
  RankFindings all() const { return {bad_.data(), losses_ + pieces_count_}; }
  const float* of_pieces() const { return bad_.data() + losses_; }
  // Returns what this member has found about its own pieces, and the judgement on them.
  const PieceFinding* own_pieces() const { return found_.as<PieceFinding>(); }
  // Returns whether this member's own gradient of a piece is not finite. Waits for the context's
  // work.
  bool OwnIsBad(int64_t piece) const;
  int members() const { return member_.number.members; }
  const OwnGradient* own() const { return own_.as<OwnGradient>(); }

 private:
  const GroupMember member_;
  const int64_t losses_, pieces_count_;
  Tensor pieces_, found_, own_, bad_;
};

}  // namespace singa
