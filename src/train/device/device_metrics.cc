#include "train/device/device_metrics.h"

#include <utility>
#include <vector>

#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"
#include "train/device/on_device.h"

namespace singa {

DeviceMetrics::DeviceMetrics(MetricSums* sums, Context* ctx) : host_(sums), ctx_(ctx) {
  std::vector<MetricCell> cells;
  for (const MetricSums::Cell& cell : sums->cells())
    cells.push_back({cell.metric->cell.as<double>(), static_cast<int32_t>(cell.entry)});
  cell_count_ = static_cast<int64_t>(cells.size());
  cells_ = OnDevice(*ctx, cells);
  sums_ = Allocate(*ctx, {static_cast<int64_t>(sums->entries().size()), 2}, DType::kF64);
  pinned_ = ctx->stream->gpu().AllocatePinned(sums_.bytes());
}

void DeviceMetrics::Upload() {
  if (!std::exchange(on_host_, false)) return;
  double* to = static_cast<double*>(pinned_.get());
  for (const MetricSums::Entry& entry : host_->entries()) {
    *to++ = entry.sum;
    *to++ = entry.weight;
  }
  ctx_->stream->Copy(pinned_.get(), sums_.as<void>(), sums_.bytes());
}

void DeviceMetrics::Take(const StepVerdict* verdict) {
  if (cell_count_ == 0) return;
  SumMetrics(*ctx_, cells_.as<MetricCell>(), cell_count_, sums_.shape()[0], verdict,
             sums_.as<double>());
}

void DeviceMetrics::Download() {
  if (std::exchange(on_host_, true)) return;
  ctx_->stream->Copy(sums_.as<void>(), pinned_.get(), sums_.bytes());
  ctx_->stream->Wait();
  const double* from = static_cast<const double*>(pinned_.get());
  for (MetricSums::Entry& entry : host_->entries()) {
    entry.sum = *from++;
    entry.weight = *from++;
  }
}

}  // namespace singa
