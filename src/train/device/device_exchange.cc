#include "train/device/device_exchange.h"

#include <cstring>

#include "singa/tensor/memory.h"

namespace singa {

void DeviceExchange::Place(Param* param) {
  Placed& placed = placed_[param];
  Gpu& gpu = ctx_->stream->gpu();
  placed.values = gpu.AllocatePinned(param->data.bytes());
  placed.host_updates = !param->grad.empty() || (trained_ && trained_->IsOfOtherPhases(param));
  if (!param->grad.empty()) {
    placed.grad = param->grad;
    placed.gradient = gpu.AllocatePinned(param->grad.bytes());
    param->grad = AllocateFor(*param, *ctx_);
  }
  param->PutOnDevice(AllocateFor(*param, *ctx_));
}

void DeviceExchange::MarkDeviceStale() {
  for (auto& [param, placed] : placed_) placed.fresh = false;
}

void DeviceExchange::Upload() {
  for (auto& [param, placed] : placed_)
    if (!placed.fresh) Send(param, &placed);
}

void DeviceExchange::Download() {
  for (auto& [param, placed] : placed_) {
    if (placed.host_updates || !placed.fresh) continue;
    const Tensor values = OnHost(*ctx_, param->data);
    std::memcpy(param->host().data(), values.data(), values.bytes());
  }
}

void DeviceExchange::Send(Param* param, Placed* placed) {
  if (placed->sent) placed->sent->Wait();  // the last copy is done
  std::memcpy(placed->values.get(), param->host().data(), param->data.bytes());
  ctx_->stream->Copy(placed->values.get(), param->data.data(), param->data.bytes());
  placed->sent = ctx_->stream->Record();
  placed->fresh = true;
}

void DeviceExchange::Await(Param* param, int64_t step) {
  host_->Await(param, step);
  const auto placed = placed_.find(param);
  if (placed != placed_.end() && !placed->second.fresh) Send(param, &placed->second);
}

void DeviceExchange::GradientReady(Param* param, int64_t step) {
  const auto found = placed_.find(param);
  if (found == placed_.end()) return host_->GradientReady(param, step);
  ctx_->stream->Copy(param->grad.data(), found->second.gradient.get(), param->grad.bytes());
  on_their_way_.push_back({param, ctx_->stream->Record()});
  while (!on_their_way_.empty() && on_their_way_.front().here->Done()) {
    HandOn(on_their_way_.front(), step);
    on_their_way_.pop_front();
  }
}

void DeviceExchange::HandOn(const SentGradient& gradient, int64_t step) {
  Placed& placed = placed_.at(gradient.param);
  std::memcpy(placed.grad.data(), placed.gradient.get(), placed.grad.bytes());
  host_->GradientReady(gradient.param, step);
}

void DeviceExchange::Finish(int64_t step) {
  for (; !on_their_way_.empty(); on_their_way_.pop_front()) {
    on_their_way_.front().here->Wait();
    HandOn(on_their_way_.front(), step);
  }
  host_->Finish(step);
  for (auto& [param, placed] : placed_)
    if (placed.host_updates) placed.fresh = false;
}

}  // namespace singa
