#include "train/device/device_pieces.h"

#include <algorithm>
#include <utility>

#include "train/device/on_device.h"

namespace singa {

void DevicePieces::Add(const Param* param, UpdatePiece piece, float* average, bool inspects) {
  params_.push_back(param);
  if (piece.n > 0) own_.push_back(piece);
  if (piece.n > 0 && average)
    averages_.push_back(
        {.w = piece.w, .g = piece.w, .states = {average}, .n = piece.n, .param = piece.param});
  largest_ = std::max(largest_, piece.n);
  if (!inspects) piece.n = 0;
  inspects_.push_back(piece);
}

void DevicePieces::Place(const Context& ctx) {
  updates_ = std::ssize(own_);
  updated_ = OnDevice(ctx, std::exchange(own_, {}));
  averaged_ = OnDevice(ctx, std::exchange(averages_, {}));
  inspected_ = OnDevice(ctx, std::exchange(inspects_, {}));
  found_ = OnDevice(ctx, std::vector<PieceFinding>(params_.size()));
  placed_ = true;
}

void DevicePieces::Inspect(Context& ctx, bool squares) {
  InspectPieces(ctx, inspected_.as<UpdatePiece>(), count(), squares, found_.as<PieceFinding>());
}

std::span<double> DevicePieces::findings() {
  constexpr size_t kNumbers = sizeof(PieceFinding) / sizeof(double);
  return {&found_.as<PieceFinding>()->squares, params_.size() * kNumbers};
}

void DevicePieces::Update(Context& ctx, const UpdateRule& rule, const void* steps, int64_t params,
                          const StepVerdict* verdict) {
  rule.ApplyAll(ctx, {steps, updated_.as<UpdatePiece>(), updates_, largest_, verdict});
  if (!rule.averages()) return;
  const void* const shares = static_cast<const char*>(steps) + params * rule.step_bytes();
  rule.ApplyAverages(ctx, {shares, averaged_.as<UpdatePiece>(), updates_, largest_, verdict});
}

}  // namespace singa
