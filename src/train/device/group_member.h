// GroupMember is what one member of a group of GPUs needs to exchange numbers with the others.
#pragma once

#include <functional>

#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

// All that it points to must outlive it.
struct GroupMember {
  GpuGroup* group;
  const GpuMember& number;  // of the member, and of all
  Context* ctx;
  Stream* stream;              // for transfers alone
  std::function<void()> meet;  // as in HalfSums

  // Calls `transfer`, which starts one in `stream`, after the context's work. Later work of the
  // context comes after the transfer. Loading a kernel may wait for the work of all GPUs, so
  // members meet before a transfer and after it has begun.
  template <typename Start>
  void Transfer(const Start& transfer) const {
    meet();
    stream->Await(*ctx->stream->Record());
    transfer();
    ctx->stream->Await(*stream->Record());
    meet();
  }
};

}  // namespace singa
