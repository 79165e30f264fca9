#include "singa/tensor/kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "singa/tensor/stream.h"

namespace singa {
namespace {

std::vector<const KernelSlot*>& Slots() {
  static std::vector<const KernelSlot*> slots;
  return slots;
}

}  // namespace

// The kernel runs later, so the host's own fields are cleared for it.
void Defer(const Context& ctx, std::function<void(Context&)> work) {
  Context own = ctx;
  own.stream = nullptr;
  own.choices = nullptr;
  own.trace = nullptr;
  own.mark = nullptr;
  own.group = nullptr;
  own.state = nullptr;
  ctx.stream->Run([own, work = std::move(work)]() mutable { work(own); });
}

std::span<const KernelSlot* const> KernelSlot::All() { return Slots(); }

void KernelSlot::Fill(Device device, Rank rank) {
  ranks_[static_cast<int>(device)] |= 1 << static_cast<int>(rank);
  if (std::find(Slots().begin(), Slots().end(), this) == Slots().end()) Slots().push_back(this);
}

const char* KernelSlot::Choice(const Context& ctx) const {
  if (!ctx.plain && Has(ctx.device, Rank::kVendor))
    return ctx.device == Device::kCpu ? SINGA_CPU_LIBRARY : "cuBLAS";  // plans name themselves
  if (!ctx.plain && Has(ctx.device, Rank::kVector)) return NameOf(Rank::kVector);
  return Has(ctx.device, Rank::kPlain) ? NameOf(Rank::kPlain) : "none";
}

void KernelSlot::ThrowMissing(Device device) const {
  throw DeviceError(StrCat(name_, " has no kernel for ", NameOf(device)));
}

void KernelTrace::Add(const KernelSlot* slot) {
  const std::lock_guard lock(mutex_);
  slots_.insert(slot);
}

std::set<const KernelSlot*> KernelTrace::slots() const {
  const std::lock_guard lock(mutex_);
  return slots_;
}

}  // namespace singa
