// Whether the nets of a job that read pictures in class folders give them the same labels.
#pragma once

#include "driver/job/progress.h"
#include "train/trainer.h"

namespace singa {

// Warns where labels of an evaluation have other names in training. Classes that it lacks behind
// its last one change no label.
void WarnOfOtherLabels(Trainer* trainer, Progress* progress);

}  // namespace singa
