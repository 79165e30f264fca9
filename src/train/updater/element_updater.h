// ElementUpdater is the base of the updaters of update_elements.h.
#pragma once

#include <glog/logging.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "math/parallel_slices.h"
#include "train/updater/update_elements.h"
#include "train/updater/update_kernels.h"

namespace singa {

// The host's kernel of a rule with kStates states. `slice` is a loop that is compiled for each
// instruction set (math/cpu_dispatch.h): void(Element, float* w, const float* g, float* of each
// state, int64_t n). A scale comes only with an emulated device. It has its own pass, since it
// would cost the loops up to 7 %.
template <typename Element, size_t kStates, auto slice>
void UpdateOnHost(Context& ctx, const UpdateBatch& batch) {
  const StepVerdict verdict = batch.verdict ? *batch.verdict : StepVerdict();
  if (verdict.dropped) return;
  std::vector<float> scaled;
  for (const UpdatePiece& piece : std::span(batch.pieces, batch.count)) {
    const Element& element = static_cast<const Element*>(batch.steps)[piece.param];
    const float* g = piece.g;
    if (verdict.scale != 1) {
      scaled.assign(g, g + piece.n);
      for (float& x : scaled) x *= verdict.scale;
      g = scaled.data();
    }
    const auto update = [&]<size_t... S>(int64_t i, int64_t end, std::index_sequence<S...>) {
      slice(element, piece.w + i, g + i, (piece.states[S] + i)..., end - i);
    };
    ParallelSlices(ctx, piece.n, [&](int64_t i, int64_t end) {
      update(i, end, std::make_index_sequence<kStates>());
    });
  }
}

// An updater whose rule is a kernel. On the host the kernel gets one piece.
template <typename Element>
class ElementUpdater : public Updater {
 public:
  void Update(Context& ctx, const UpdateStep& step, float* w, const float* g,
              std::span<float* const> states, int64_t n) final {
    CHECK(!ctx.stream) << "Update is the host's";
    const Element element = ElementOf(step);
    UpdatePiece piece = {.w = w, .g = g, .states = {}, .n = n, .param = 0};
    std::copy(states.begin(), states.end(), piece.states.begin());
    UpdateAll(ctx, {&element, &piece, 1, n, nullptr});
  }

  int64_t step_bytes() const final { return sizeof(Element); }
  void Prepare(const UpdateStep& step, void* to) const final {
    std::construct_at(static_cast<Element*>(to), ElementOf(step));
  }
  void UpdateAll(Context& ctx, const UpdateBatch& batch) const final { kernel()(ctx, batch); }

 protected:
  static_assert(std::is_trivially_copyable_v<Element> && alignof(Element) == 8);

  virtual Element ElementOf(const UpdateStep& step) const = 0;
  virtual const UpdateKernel& kernel() const = 0;

  GradientPrologue PrologueOf(const UpdateStep& step) const {
    return {clip_low(), clip_high(), step.weight_decay};
  }
};

}  // namespace singa
