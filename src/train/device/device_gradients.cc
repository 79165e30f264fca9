#include "train/device/device_gradients.h"

#include <utility>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

DeviceGradients::DeviceGradients(Context* ctx, const TrainedParams& trained, int64_t losses)
    : ctx_(ctx), trained_(trained), losses_(losses), begins_(trained.own.size()) {
  int64_t floats = AlignedForGpu(losses);
  const auto place = [&](bool common) {
    for (size_t p = 0; p < trained.own.size(); ++p) {
      if (IsCommon(p) != common) continue;
      begins_[p] = floats;
      floats += AlignedForGpu(trained.own[p]->size());
    }
  };
  place(true);
  common_.SetShape({floats});
  place(false);
  try {
    floats_ = Allocate(*ctx_, {floats});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the gradients of all params: ", error.what()));
  }
  common_.Bind(floats_.data());
}

void DeviceGradients::MakeSums(GpuGroup* group, const GpuMember& member, Stream* stream,
                               const std::vector<int>& order, const AllReduceProto& conf,
                               const std::function<void()>& meet, OwnFindings* own) {
  GradientSums::Layout layout = {{}, {}, conf.fusion_elements()};
  std::vector<int> numbers(begins_.size());  // of the common gradients
  for (size_t p = 0; p < begins_.size(); ++p) {
    if (!IsCommon(p)) continue;
    numbers[p] = static_cast<int>(layout.begins.size());
    layout.begins.push_back(begins_[p]);
  }
  std::vector<PartSums::Gradient> of_parts;
  for (const int p : order) {
    if (IsCommon(p))
      layout.order.push_back(numbers[p]);
    else
      of_parts.push_back({of(p), trained_.own[p]->size(), trained_.by[p]});
  }
  std::unique_ptr<HalfSums> halves;
  if (conf.compression() == AllReduceProto::kFp16)
    halves = std::make_unique<HalfSums>(group, member, *ctx_, stream, &common_, CommonSlices(),
                                        conf.clip(), meet);
  common_sums_ = std::make_unique<GradientSums>(group, member, ctx_, stream, &common_, layout,
                                                std::move(halves), own);
  part_sums_.emplace(group, member, ctx_, stream, of_parts);
}

// The findings about losses are a slice of their own: 0, 1, and their sums are exact in float16.
std::vector<HalfSums::Run> DeviceGradients::CommonSlices() const {
  std::vector<HalfSums::Run> slices;
  if (losses_ > 0) slices.push_back({0, losses_});
  for (const Slice& slice : trained_.table.slices())
    if (IsCommon(slice.param)) slices.push_back({begins_[slice.param] + slice.begin, slice.size});
  return slices;
}

void DeviceGradients::Ready(size_t param) {
  if (IsCommon(param)) common_sums_->Ready();
}

void DeviceGradients::AddUpParts() { part_sums_->Add(); }

void DeviceGradients::AddUpCommon(bool captured) { common_sums_->Finish(captured); }

void DeviceGradients::DropSums() {
  part_sums_.reset();
  common_sums_.reset();
}

}  // namespace singa
