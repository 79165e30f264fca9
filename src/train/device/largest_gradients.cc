#include "train/device/largest_gradients.h"

#include "singa/base/str_cat.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

// Returns the floats of state for each float of a gradient.
int64_t States(const AllReduceProto& conf, float momentum) {
  return !conf.error_feedback() ? 0 : momentum > 0 ? 2 : 1;
}

}  // namespace

constinit const GpuCompression LargestGradients::kCompression = {
    .state_kind = kCodecState,
    .parts = Parts,
    .make = [](const Setup& setup) -> std::unique_ptr<CompressedExchange> {
      return std::make_unique<LargestGradients>(setup);
    },
    .message_bytes = MessageBytes};

std::vector<StatePart> LargestGradients::Parts(const CompressedParams& params) {
  const int64_t states = States(params.conf, params.momentum);
  const SliceTable& table = params.trained.table;
  std::vector<StatePart> parts;
  for (int s = 0; states > 0 && s < table.size(); ++s)
    parts.push_back({StrCat("slice", s), Shape({states, 1, table[s].size})});
  return parts;
}

int64_t LargestGradients::MessageBytes(const CompressedParams& params, int members) {
  return SparseSums::Bytes(params.conf, params.trained.table, members);
}

void LargestGradients::Add(int slice, float* gradient, const UpdatePiece&, float*) {
  const SliceTable& table = setup_.trained.table;
  SparseSlice& made = slices_.emplace_back();
  made.floats = gradient;
  made.n = table[slice].size;
  const int64_t states = States(conf(), setup_.sender.momentum);
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
                  conf(), slices_, setup_.losses, step);
  sums_->AddUp(bad_losses);
}

// Members that bound their own gradients know the norm.
bool LargestGradients::AddFindings(StepEvidence* evidence) const {
  if (setup_.sender.clip_norm > 0) evidence->own = sums_->own();
  return false;
}

}  // namespace singa
