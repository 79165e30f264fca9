#include "cluster/server/step_sum.h"

#include <algorithm>

#include "comm/codec/float_frame.h"
#include "math/finite.h"

namespace singa {

StepSum::Arrival StepSum::Add(int process, int64_t step, int64_t version, Frame floats,
                              int64_t now) {
  if (step < step_ || (step == step_ && came_[process])) return Arrival::kDuplicate;
  if (arrived_ > 0 && step != step_) return Arrival::kOtherStep;
  if (arrived_ == 0) {
    step_ = step;
    version_ = version;
    since_ = now;
  }
  version_ = std::min(version_, version);
  came_[process] = true;
  none_ |= floats.size() == 0 && !nodes_[process].empty();
  frames_[process] = std::move(floats);
  ++arrived_;
  return Arrival::kTaken;
}

int StepSum::Missing() const {
  size_t process = 0;
  while (came_[process] || !TakesPart(process)) ++process;
  return static_cast<int>(process);
}

bool StepSum::Sum(Context* ctx, int64_t n) {
  if (none_) return false;
  std::vector<SumNode> nodes;
  std::vector<const float*> parts;
  for (size_t p = 0; p < nodes_.size(); ++p)
    for (size_t i = 0; i < nodes_[p].size(); ++i) {
      nodes.push_back(nodes_[p][i]);
      parts.push_back(FloatsOf(frames_[p]).data() + static_cast<int64_t>(i) * n);
    }
  gradient_ = parts[0];
  if (parts.size() > 1) {
    const auto [frame, sum] = NewFloats(n);
    AddUp<float>({0, nodes.back().last}, nodes, parts, n, sum);
    gradient_ = sum;
    sum_ = frame;
    std::fill(frames_.begin(), frames_.end(), Frame());
  }
  return AllFinite(*ctx, gradient_, n);
}

void StepSum::Done() {
  std::fill(frames_.begin(), frames_.end(), Frame());
  std::fill(came_.begin(), came_.end(), false);
  arrived_ = 0;
  none_ = false;
  sum_ = {};
  gradient_ = nullptr;
  ++step_;
}

int64_t StepSum::held_bytes() const {
  auto bytes = static_cast<int64_t>(sum_.size());
  for (const Frame& frame : frames_) bytes += static_cast<int64_t>(frame.size());
  return bytes;
}

}  // namespace singa
