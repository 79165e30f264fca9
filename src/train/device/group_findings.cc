#include "train/device/group_findings.h"

#include <utility>

#include "singa/tensor/memory.h"
#include "train/device/on_device.h"

namespace singa {

GroupFindings::GroupFindings(GroupMember member, const std::vector<UpdatePiece>& pieces,
                             int64_t losses)
    : member_(std::move(member)),
      losses_(losses),
      pieces_count_(std::ssize(pieces)),
      pieces_(OnDevice(*member_.ctx, pieces)),
      found_(OnDevice(*member_.ctx, std::vector<PieceFinding>(pieces.size()))),
      own_(OnDevice(*member_.ctx, std::vector<OwnGradient>(1))),
      bad_(Allocate(*member_.ctx, {losses + pieces_count_})) {}

void GroupFindings::AddUp(float* bad_losses, bool squares, float clip_norm) {
  Context& ctx = *member_.ctx;
  InspectPieces(ctx, pieces_.as<UpdatePiece>(), pieces_count_, squares, found_.as<PieceFinding>());
  JudgeOwn(ctx, found_.as<PieceFinding>(), pieces_count_, clip_norm, member_.number.members,
           ctx.device_state, bad_.data() + losses_, own_.as<OwnGradient>());
  CopyFloats(ctx, bad_losses, bad_.data(), losses_);
  member_.Transfer([this] { member_.group->Sum(bad_.data(), bad_.size(), *member_.stream); });
  CopyFloats(ctx, bad_.data(), bad_losses, losses_);
}

bool GroupFindings::OwnIsBad(int64_t piece) const {
  return OnHost(*member_.ctx, found_).as<PieceFinding>()[piece].bad != 0;
}

}  // namespace singa
