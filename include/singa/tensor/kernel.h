// A kernel slot has an operation's name and signature. The operation's files that were compiled
// (x.cc plain, x_vector.cc, x_onednn.cc, x.cu, x_cudnn.cc) fill it before main. A call runs the
// kernel of the highest rank; with Context::plain only the plain one. It throws DeviceError if
// there is none.
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

// kPlain: the loop that defines the operation. kVector: a kernel with vector instructions and the
// context's threads. kVendor: a library's kernel.
enum class Rank : uint8_t { kPlain, kVector, kVendor };
inline constexpr int kRanks = 3;

constexpr const char* NameOf(Device device) { return device == Device::kCpu ? "cpu" : "cuda"; }
constexpr const char* NameOf(Rank rank) {
  constexpr const char* names[kRanks] = {"plain", "vector", "vendor"};
  return names[static_cast<int>(rank)];
}

// Calls work(context) in the order of the stream of an emulated device; RunInOrder calls it at once
// for other contexts. `work` is copied. Code that accesses tensors must run this way or in a
// Kernel.
SINGA_API void Defer(const Context& ctx, std::function<void(Context&)> work);
template <typename Work>
void RunInOrder(Context& ctx, const Work& work) {
  if (ctx.stream && ctx.device == Device::kCpu)
    Defer(ctx, work);
  else
    work(ctx);
}

// The part of a slot that does not depend on its signature.
class SINGA_API KernelSlot {
 public:
  const char* name() const { return name_; }
  bool Has(Device device, Rank rank) const {
    return ranks_[static_cast<int>(device)] >> static_cast<int>(rank) & 1;
  }
  // Returns the kernel that a call would run: "plain", "vector", the library's name, or "none".
  const char* Choice(const Context& ctx) const;

  // Returns all slots that have a kernel.
  static std::span<const KernelSlot* const> All();

 protected:
  explicit constexpr KernelSlot(const char* name) : name_(name) {}
  void Fill(Device device, Rank rank);
  [[noreturn]] void ThrowMissing(Device device) const;

 private:
  const char* name_;
  std::array<uint8_t, 2> ranks_{};  // bit r: there is a kernel of Rank r; for each device
};

// Records the slots that are called through a context, for tests. Any thread may use it.
class SINGA_API KernelTrace {
 public:
  void Add(const KernelSlot* slot);
  std::set<const KernelSlot*> slots() const;

 private:
  mutable std::mutex mutex_;
  std::set<const KernelSlot*> slots_;
};

// Table of one slot's functions by (device, rank).
template <typename Function>
class SlotTable {
 public:
  constexpr void Set(Device device, Rank rank, Function f) {
    entries_[static_cast<int>(device)][static_cast<int>(rank)] = f;
  }
  // Calls `use` with the functions of the ranks that `ctx` allows, highest first, until `use`
  // returns true. Returns whether it did.
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

// A slot for a stateless function. It computes in float32 unless its name says otherwise.
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

// A slot for a maker of plans. Layer::Prepare makes a Plan from a Desc (shapes, attributes). The
// plan keeps what a vendor library prepares and belongs to one layer object. A maker that does not
// support a Desc returns nullptr, and the next rank is tried. Plan needs `const char* name()
// const`.
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
