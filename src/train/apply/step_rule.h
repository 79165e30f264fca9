// StepRule decides what happens to a step whose gradient is large or not finite. Workers, servers
// and devices use it.
#pragma once

#include <cmath>

#include "singa/proto/job.pb.h"
#include "singa/train/updater.h"
#include "train/apply/clip_scale.h"

namespace singa {

struct StepRule {
  explicit StepRule(const JobProto& job)
      : clip_norm(job.updater().clip_norm()), skips(job.on_nonfinite() == JobProto::kSkip) {}

  // Returns whether an update must wait for the whole gradient of its step.
  bool needs_all() const { return skips || clip_norm > 0; }
  // Returns the verdict on a step. `squares`: the sum of squares of its whole gradient, which is
  // not finite if an element of the gradient is not.
  StepVerdict Judge(double squares) const {
    return {.dropped = !std::isfinite(squares), .scale = ClipScale(clip_norm, std::sqrt(squares))};
  }

  const float clip_norm;  // the largest norm of a gradient, > 0; 0: none
  const bool skips;       // a step that is not finite is skipped; else it ends the job
};

}  // namespace singa
