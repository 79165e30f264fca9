#include "comm/collective/gpu_collective.h"

#include <glog/logging.h>

namespace singa {

Collective::Operation GpuCollective::StartAllReduce(std::span<const double> parts,
                                                    std::span<double> sum) {
  CHECK(parts.data() == sum.data() && parts.size() == sum.size());
  StartMessages();
  group_->Sum(sum.data(), std::ssize(sum), stream_);
  return next_++;
}

Collective::Operation GpuCollective::StartAllReduce(std::span<const float> parts,
                                                    std::span<float> sum) {
  CHECK(parts.data() == sum.data() && parts.size() == sum.size());
  StartMessages();
  group_->Sum(sum.data(), std::ssize(sum), stream_);
  return next_++;
}

Collective::Operation GpuCollective::StartAllGather(std::span<const std::byte> own,
                                                    std::span<std::byte> all) {
  CHECK_EQ(all.size(), own.size() * static_cast<size_t>(ranks_));
  StartMessages();
  group_->AllGather(own.data(), all.data(), std::ssize(own), stream_);
  return next_++;
}

Collective::Operation GpuCollective::StartBroadcast(int root, std::span<std::byte> bytes) {
  StartMessages();
  group_->Broadcast(root, bytes.data(), std::ssize(bytes), stream_);
  return next_++;
}

// Messages are collected and start together. A message alone would block the stream until its
// receiver comes, which may itself wait for later work of this stream.
Collective::Operation GpuCollective::StartSend(int to, std::span<const std::byte> bytes) {
  messages_.push_back(
      {to, true, const_cast<std::byte*>(bytes.data()), std::ssize(bytes)});  // only read
  return next_++;
}

Collective::Operation GpuCollective::StartReceive(int from, std::span<std::byte> bytes) {
  messages_.push_back({from, false, bytes.data(), std::ssize(bytes)});
  return next_++;
}

// Starts the collected messages. This comes before each collective operation, since the peer's
// stream also has its end of the messages first.
void GpuCollective::StartMessages() {
  if (!messages_.empty()) group_->Exchange(messages_, stream_);
  messages_.clear();
}

void GpuCollective::Await(Operation) {
  StartMessages();
  group_->Await(*stream_.Record());
}

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
