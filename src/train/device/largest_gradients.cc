#include "train/device/largest_gradients.h"

namespace singa {

LargestGradients::LargestGradients(const Setup& setup)
    : CodedGradients(setup, CompressionState(setup.job.cluster().all_reduce(), setup.trained,
                                             setup.sender.momentum)) {}

int64_t LargestGradients::States(const AllReduceProto& conf, float momentum) {
  return !conf.error_feedback() ? 0 : momentum > 0 ? 2 : 1;
}

void LargestGradients::Add(int slice, float* gradient) {
  const SliceTable& table = setup_.trained.table;
  SparseSlice& made = slices_.emplace_back();
  made.floats = gradient;
  made.n = table[slice].size;
  const int64_t states = States(setup_.job.cluster().all_reduce(), setup_.sender.momentum);
  int64_t before = 0;
  for (int s = 0; s < slice; ++s) before += table[s].size;
  if (states > 0) made.rest = state_.data() + states * before;
  if (states > 1) made.u = made.rest + made.n;
}

void LargestGradients::Begin(int64_t step) {
  if (Changes(step)) sums_.reset();
}

void LargestGradients::AddUp(const GroupMember& member, int64_t step, float* bad_losses) {
  if (!sums_)
    sums_.emplace(SparseSums::Setup{member, setup_.sender.momentum, setup_.sender.clip_norm},
                  setup_.job.cluster().all_reduce(), slices_, setup_.losses, step);
  sums_->AddUp(bad_losses);
}

const OwnGradient* LargestGradients::own() const {
  return sums_ && setup_.sender.clip_norm > 0 ? sums_->own() : nullptr;
}

}  // namespace singa
