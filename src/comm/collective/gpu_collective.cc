#include "comm/collective/gpu_collective.h"

#include <glog/logging.h>

namespace singa {

template <typename T>
void GpuCollective::Sum(const Request& request) {
  CHECK(request.in.data() == request.out.data() && request.in.size() == request.out.size());
  group_->Sum(reinterpret_cast<T*>(request.out.data()),
              static_cast<int64_t>(request.out.size() / sizeof(T)), stream_);
}

Collective::Operation GpuCollective::Start(const Request& request) {
  switch (request.kind) {
    case Kind::kSumDoubles:
      Sum<double>(request);
      break;
    case Kind::kSumFloats:
      Sum<float>(request);
      break;
    case Kind::kBroadcast:
      group_->Broadcast(request.root, request.out.data(), std::ssize(request.out), stream_);
      break;
  }
  return next_++;
}

void GpuCollective::AwaitAll() { group_->Await(*stream_.Record()); }

void GpuCollective::ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                                  std::span<float> room) {
  for (int64_t piece = 0; piece < pieces; ++piece) {
    const std::span sum = room.first(static_cast<size_t>(work.floats(piece)));
    work.Produce(ctx, piece, sum.data());
    StartAllReduce(sum, sum);
    float* const at = sum.data();
    if (piece % ranks_ == rank_) work.Consume(ctx, piece, {&at, 1});
  }
}

}  // namespace singa
