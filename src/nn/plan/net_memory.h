// NetMemory says how much memory a net needs. NetArena is the memory of its features and gradients.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "singa/tensor/context.h"
#include "singa/tensor/tensor.h"

namespace singa {

// The layer that needs most of an arena, and its bytes. "": no layer needs any.
struct LargestLayer {
  std::string name;
  int64_t bytes = 0;
};

// Memory needs of one net in bytes, known before anything is allocated.
struct NetMemory {
  int64_t arena = 0;         // features, gradients, buffers of a step, scratch
  int64_t host_arena = 0;    // pinned memory of the host that a net on a device needs
  int64_t forever = 0;       // kForever buffers, metrics, batches read ahead or being copied
  int64_t host_forever = 0;  // the part of these on the host, for a net on a device
  int64_t unplanned = 0;     // size of the arena without reuse
  LargestLayer largest, host_largest;  // in arena and host_arena

  // Adds the needs of another net that uses the same arena at other times.
  void ShareArena(const NetMemory& other) {
    if (other.arena > arena) largest = other.largest;
    if (other.host_arena > host_arena) host_largest = other.host_largest;
    arena = std::max(arena, other.arena);
    host_arena = std::max(host_arena, other.host_arena);
    forever += other.forever;
    host_forever += other.host_forever;
  }
};

// Memory of a net's features and gradients. Another net may use it between two passes.
struct NetArena {
  Tensor main;  // memory of the context's device
  Tensor host;  // pinned memory; empty if the context's device is the host

  // Throws std::bad_alloc, or DeviceError, which names the layer that needs most of the full
  // memory.
  static NetArena Allocate(const Context& ctx, const NetMemory& memory);
  bool Fits(const NetMemory& memory) const {
    return main.bytes() >= memory.arena && host.bytes() >= memory.host_arena;
  }
};

}  // namespace singa
