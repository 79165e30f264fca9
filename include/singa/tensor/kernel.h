// Kernel slots: an operation's name and signature, filled before main by whichever of its files
// was compiled (x.cc plain, x_vector.cc, x_onednn.cc, x.cu, x_cudnn.cc). The highest rank that is
// there wins, under Context::plain the plain one alone; without any, the call throws DeviceError.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>

#include "singa/base/api.h"
#include "singa/base/error.h"
#include "singa/tensor/context.h"

namespace singa {

// kPlain: the loop that defines the operation. kVector: the same in vectors, over the context's
// threads. kVendor: a library's.
enum class Rank : uint8_t { kPlain, kVector, kVendor };
inline constexpr int kRanks = 3;

constexpr const char* NameOf(Device device) { return device == Device::kCpu ? "cpu" : "cuda"; }
constexpr const char* NameOf(Rank rank) {
  constexpr const char* names[kRanks] = {"plain", "vector", "vendor"};
  return names[static_cast<int>(rank)];
}

// Calls work(context) in the order of the context's work. All that touches tensors goes this way or
// by a Kernel, which does; `work` is copied.
SINGA_API void Defer(const Context& ctx, std::function<void(Context&)> work);
template <typename Work>
void RunInOrder(Context& ctx, const Work& work) {
  if (ctx.stream && ctx.device == Device::kCpu)
    Defer(ctx, work);
  else
    work(ctx);
}

// What does not depend on a slot's signature.
class SINGA_API KernelSlot {
 public:
  const char* name() const { return name_; }
  bool Has(Device device, Rank rank) const {
    return ranks_[static_cast<int>(device)] >> static_cast<int>(rank) & 1;
  }
  // "plain", "vector" or the library that a call would run; "none".
  const char* Choice(const Context& ctx) const;

  // All slots that have a kernel.
  static std::span<const KernelSlot* const> All();

 protected:
  explicit constexpr KernelSlot(const char* name) : name_(name) {}
  void Fill(Device device, Rank rank);
  [[noreturn]] void ThrowMissing(Device device) const;

 private:
  const char* name_;
  std::array<uint8_t, 2> ranks_{};  // bits by Rank, for each device
};

// The slots that were called through a context, from any of its threads: for tests.
class SINGA_API KernelTrace {
 public:
  void Add(const KernelSlot* slot);
  std::set<const KernelSlot*> slots() const;

 private:
  mutable std::mutex mutex_;
  std::set<const KernelSlot*> slots_;
};

// The functions of one slot by (device, rank).
template <typename Function>
class SlotTable {
 public:
  constexpr void Set(Device device, Rank rank, Function f) {
    entries_[static_cast<int>(device)][static_cast<int>(rank)] = f;
  }
  // Tries the ranks that `ctx` allows from the highest down, until `use` returns true.
  template <typename Use>
  bool Try(const Context& ctx, const Use& use) const {
    const auto& row = entries_[static_cast<int>(ctx.device)];
    for (int rank = ctx.plain ? 0 : kRanks - 1; rank >= 0; --rank)
      if (row[rank] && use(row[rank])) return true;
    return false;
  }

 private:
  std::array<std::array<Function, kRanks>, 2> entries_{};
};

template <typename F>
class Kernel;

// A stateless function. float32 unless its name says otherwise.
template <typename... Args>
class Kernel<void(Args...)> : public KernelSlot {
 public:
  using Function = void (*)(Context&, Args...);
  explicit constexpr Kernel(const char* name) : KernelSlot(name) {}

  bool Set(Device device, Function f, Rank rank = Rank::kPlain) {
    table_.Set(device, rank, f);
    Fill(device, rank);
    return true;
  }

  void operator()(Context& ctx, Args... args) const {
    Function f = nullptr;
    table_.Try(ctx, [&f](Function found) { return f = found, true; });
    if (!f) ThrowMissing(ctx.device);
    if (ctx.trace) ctx.trace->Add(this);
    RunInOrder(ctx, [f, args...](Context& own) { f(own, args...); });
  }

 private:
  SlotTable<Function> table_;
};

// A maker of plans. A Plan is made in Layer::Prepare from a Desc (shapes, attributes) and keeps
// what a vendor library prepares; it belongs to one layer object. A maker may decline a Desc by
// returning nullptr: then the next rank serves. Plan has `const char* name() const`.
template <typename Desc, typename Plan>
class PlanKernel : public KernelSlot {
 public:
  using Maker = std::unique_ptr<Plan> (*)(Context&, const Desc&);
  explicit constexpr PlanKernel(const char* name) : KernelSlot(name) {}

  bool Set(Device device, Maker maker, Rank rank = Rank::kPlain) {
    table_.Set(device, rank, maker);
    Fill(device, rank);
    return true;
  }

  std::unique_ptr<Plan> Make(Context& ctx, const Desc& desc) const {
    std::unique_ptr<Plan> plan;
    if (!table_.Try(ctx, [&](Maker make) { return (plan = make(ctx, desc)) != nullptr; }))
      ThrowMissing(ctx.device);
    if (ctx.choices) ctx.choices->push_back({std::string(ctx.layer), name(), plan->name()});
    return plan;
  }

 private:
  SlotTable<Maker> table_;
};

}  // namespace singa
