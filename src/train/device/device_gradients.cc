#include "train/device/device_gradients.h"

#include "singa/base/error.h"
#include "singa/tensor/memory.h"

namespace singa {

DeviceGradients::DeviceGradients(Context* ctx, const TrainedParams& trained, int64_t losses)
    : ctx_(ctx), trained_(trained), begins_(trained.own.size()) {
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
                               const std::vector<int>& order, int64_t at_once) {
  GradientSums::Layout layout = {{}, {}, at_once};
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
  common_sums_ = std::make_unique<GradientSums>(group, member, ctx_, stream, &common_, layout);
  part_sums_.emplace(group, member, ctx_, stream, of_parts);
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
