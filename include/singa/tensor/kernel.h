// Kernel slots: an operation's name and signature, filled before main by whichever of its files
// was compiled (x.cc plain, x_onednn.cc, x.cu, x_cudnn.cc). A vendor kernel wins over the plain
// one unless Context::plain; without any, the call throws DeviceError.
#pragma once

#include <array>
#include <memory>

#include "singa/base/error.h"
#include "singa/tensor/context.h"

namespace singa {

enum class Rank : uint8_t { kPlain, kVendor };

constexpr const char* NameOf(Device device) { return device == Device::kCpu ? "cpu" : "cuda"; }

// The functions of one slot by (device, rank).
template <typename Function>
class SlotTable {
 public:
  constexpr void Set(Device device, Rank rank, Function f) {
    entries_[static_cast<int>(device)][static_cast<int>(rank)] = f;
  }
  constexpr Function Get(Device device, Rank rank) const {
    return entries_[static_cast<int>(device)][static_cast<int>(rank)];
  }

 private:
  std::array<std::array<Function, 2>, 2> entries_{};
};

template <typename F>
class Kernel;

// A stateless function. float32 unless its name says otherwise.
template <typename... Args>
class Kernel<void(Args...)> {
 public:
  using Function = void (*)(Context&, Args...);
  explicit constexpr Kernel(const char* name) : name_(name) {}

  bool Set(Device device, Function f, Rank rank = Rank::kPlain) {
    table_.Set(device, rank, f);
    return true;
  }
  bool Has(Device device, Rank rank) const { return table_.Get(device, rank) != nullptr; }

  void operator()(Context& ctx, Args... args) const {
    Function f = ctx.plain ? nullptr : table_.Get(ctx.device, Rank::kVendor);
    if (!f) f = table_.Get(ctx.device, Rank::kPlain);
    if (!f) throw DeviceError(StrCat(name_, " has no kernel for ", NameOf(ctx.device)));
    f(ctx, args...);
  }

 private:
  const char* name_;
  SlotTable<Function> table_;
};

// A maker of plans. A Plan is made in Layer::Prepare from a Desc (shapes, attributes) and keeps
// what a vendor library prepares; it belongs to one layer object. A vendor maker may decline a
// Desc by returning nullptr: then the plain one serves. Plan has `const char* name() const`.
template <typename Desc, typename Plan>
class PlanKernel {
 public:
  using Maker = std::unique_ptr<Plan> (*)(Context&, const Desc&);
  explicit constexpr PlanKernel(const char* name) : name_(name) {}

  bool Set(Device device, Maker maker, Rank rank = Rank::kPlain) {
    table_.Set(device, rank, maker);
    return true;
  }

  std::unique_ptr<Plan> Make(Context& ctx, const Desc& desc) const {
    std::unique_ptr<Plan> plan;
    Maker vendor = ctx.plain ? nullptr : table_.Get(ctx.device, Rank::kVendor);
    if (vendor) plan = vendor(ctx, desc);
    if (!plan) {
      Maker maker = table_.Get(ctx.device, Rank::kPlain);
      if (!maker) throw DeviceError(StrCat(name_, " has no kernel for ", NameOf(ctx.device)));
      plan = maker(ctx, desc);
    }
    if (ctx.choices) ctx.choices->push_back({std::string(ctx.layer), name_, plan->name()});
    return plan;
  }

 private:
  const char* name_;
  SlotTable<Maker> table_;
};

}  // namespace singa
