#include "train/device/device_pieces.h"

#include <algorithm>
#include <utility>

#include "train/device/on_device.h"

namespace singa {

void DevicePieces::Add(const Param* param, UpdatePiece piece, bool inspects) {
  params_.push_back(param);
  if (piece.n > 0) own_.push_back(piece);
  largest_ = std::max(largest_, piece.n);
  if (!inspects) piece.n = 0;
  inspects_.push_back(piece);
}

void DevicePieces::Place(const Context& ctx) {
  updates_ = std::ssize(own_);
  updated_ = OnDevice(ctx, std::exchange(own_, {}));
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

void DevicePieces::Update(Context& ctx, const UpdateRule& rule, const void* steps,
                          const StepVerdict* verdict) {
  rule.ApplyAll(ctx, {steps, updated_.as<UpdatePiece>(), updates_, largest_, verdict});
}

}  // namespace singa
