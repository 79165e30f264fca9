#include "nn/plan/net_memory.h"

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"

namespace singa {
namespace {

// Makes the error of an arena that is too large.
DeviceError TooLittle(const char* where, const LargestLayer& largest, const DeviceError& error) {
  constexpr int64_t kMiB = 1 << 20;
  std::string most;
  if (!largest.name.empty())
    most = StrCat(", most of them for layer \"", largest.name, "\" (",
                  (largest.bytes + kMiB - 1) / kMiB, " MiB)");
  return DeviceError(StrCat("features and gradients", where, most, ": ", error.what()));
}

}  // namespace

NetArena NetArena::Allocate(const Context& ctx, const NetMemory& memory) {
  NetArena arena;
  try {
    arena.main = singa::Allocate(ctx, {memory.arena}, DType::kU8);
  } catch (const DeviceError& error) {
    throw TooLittle("", memory.largest, error);
  }
  arena.host.SetShape({memory.host_arena}, DType::kU8);
  if (memory.host_arena == 0) return arena;
  try {
    arena.host.Own(ctx.stream->gpu().AllocatePinned(memory.host_arena));
  } catch (const DeviceError& error) {
    throw TooLittle(" in pinned memory of the host", memory.host_largest, error);
  }
  return arena;
}

}  // namespace singa
