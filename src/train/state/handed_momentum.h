// HandedMomentum makes the updater's momentum of what processes with momentum_correction kept. Each
// of them had a momentum of its own gradients, and a rest that it had not sent yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/checkpoint/safetensors.h"
#include "train/trainer/trainer.h"

namespace singa {

// The name of the updater's state that is made.
inline constexpr char kMomentumState[] = "momentum";

// Returns whether the processes of the checkpoint's job had the momentum.
bool ProcessesHadMomentum(const Safetensors& state);

// Returns the momentum of each param that the trainer's job trains; empty: the job has no momentum
// or divides its layers in another way than the checkpoint's job, or that job had several groups.
//
// With momentum m and the learning rate of `step`, the state h of kSGD, which is added to the
// values, is -lr (sum of u + (1 - m)/m times the sum of rests) over the processes, where u = m u +
// g is the momentum of each. If the rate stays, later steps then change the values by what all
// steps so far would have changed with this momentum in the updater: m/(1 - m) lr u is still to
// come of the momentum, and lr times the rest.
std::vector<std::vector<float>> HandedMomentum(const Safetensors& state, int64_t step,
                                               const Trainer& trainer);

}  // namespace singa
