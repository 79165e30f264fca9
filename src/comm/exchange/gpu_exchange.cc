#include "comm/exchange/gpu_exchange.h"

#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

// Calls f(tag, other, sends, floats) for each region that `worker` offers or takes.
template <typename F>
void ForEachRegion(const RegionSizes& sizes, int worker, const F& f) {
  for (int tag = 0; tag < sizes.tags; ++tag)
    for (int other = 0; other < sizes.workers; ++other) {
      if (other == worker) continue;
      if (const int64_t floats = sizes.floats(tag, worker, other); floats > 0)
        f(tag, other, true, floats);
      if (const int64_t floats = sizes.floats(tag, other, worker); floats > 0)
        f(tag, other, false, floats);
    }
}

int64_t FloatsOf(const RegionSizes& sizes, int worker) {
  int64_t all = 0;
  ForEachRegion(sizes, worker,
                [&](int, int, bool, int64_t floats) { all += AlignedForGpu(floats); });
  return all;
}

Tensor MemoryFor(const RegionSizes& sizes, int worker, const Context& ctx) {
  try {
    return Allocate(ctx, {FloatsOf(sizes, worker)});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("features of other workers: ", error.what()));
  }
}

bool IsWhole(const Region& region) {
  return region.steps == 1 && (region.count == 1 || region.stride == region.run);
}

}  // namespace

int64_t GpuExchange::Bytes(const RegionSizes& sizes, int worker) {
  return FloatsOf(sizes, worker) * static_cast<int64_t>(sizeof(float));
}

GpuExchange::GpuExchange(const RegionSizes& sizes, int worker, Context* ctx, Stream* stream)
    : sizes_(sizes),
      worker_(worker),
      ctx_(ctx),
      stream_(stream),
      memory_(MemoryFor(sizes, worker, *ctx)),
      rooms_(sizes.tags),
      passed_(sizes.tags) {
  for (Rooms& rooms : rooms_) {
    rooms.offered.resize(sizes.workers);
    rooms.taken.resize(sizes.workers);
  }
  float* next = memory_.data();
  ForEachRegion(sizes_, worker_, [&](int tag, int other, bool sends, int64_t floats) {
    (sends ? rooms_[tag].offered : rooms_[tag].taken)[other] = next;
    next += AlignedForGpu(floats);
  });
  transfers_.reserve(2 * static_cast<size_t>(sizes.workers));
}

void GpuExchange::Join(GpuGroup* group, std::function<void()> meet) {
  group_ = group;
  meet_ = std::move(meet);
}

// A region without gaps is sent from its tensor. Others are packed first.
void GpuExchange::Offer(Context& ctx, int tag, int to, const Region& region) {
  float* from = region.data;
  if (!IsWhole(region)) {
    from = rooms_[tag].offered[to];
    MoveRegion(ctx, region, Packed(region, from), false);
  }
  transfers_.push_back(GpuTransfer::OfFloats(to, true, from, region.floats()));
}

// Starts all transfers of the tag at once: a send ends only with its receive.
void GpuExchange::EndOffers(Context& ctx, int tag) {
  for (int from = 0; from < sizes_.workers; ++from)
    if (float* const room = rooms_[tag].taken[from])
      transfers_.push_back(
          GpuTransfer::OfFloats(from, false, room, sizes_.floats(tag, from, worker_)));
  if (meet_) meet_();
  if (!transfers_.empty()) {
    stream_->Await(*ctx.stream->Record());
    group_->Exchange(transfers_, *stream_);
    passed_[tag] = stream_->Record();
    transfers_.clear();
  }
  if (meet_) meet_();
}

void GpuExchange::Take(Context& ctx, int tag, int from, const Region& to, bool add) {
  AwaitTaken(tag);
  MoveRegion(ctx, Packed(to, rooms_[tag].taken[from]), to, add);
}

// The transfers of a tag end together.
void GpuExchange::AwaitTaken(int tag) {
  if (const auto passed = std::move(passed_[tag])) ctx_->stream->Await(*passed);
}

}  // namespace singa
