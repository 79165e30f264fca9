#include "train/device/own_values.h"

#include "singa/tensor/memory.h"

namespace singa {

void UploadOwnValues(const Context& ctx, const SliceTable& table, const std::vector<float>& from,
                     ParamCopies copies) {
  const float* at = from.data();
  for (const Slice& slice : table.slices())
    for (Tensor& copy : copies[slice.param]) {
      CopyFromHost(ctx, at, copy.data() + slice.begin,
                   slice.size * static_cast<int64_t>(sizeof(float)));
      at += slice.size;
    }
}

std::vector<float> DownloadOwnValues(const Context& ctx, const SliceTable& table,
                                     const ParamCopies& copies) {
  std::vector<std::vector<Tensor>> here;  // by param
  for (const std::vector<Tensor>& param : copies) {
    std::vector<Tensor>& on_host = here.emplace_back();
    for (const Tensor& copy : param) on_host.push_back(OnHost(ctx, copy));
  }
  std::vector<float> floats;
  for (const Slice& slice : table.slices())
    for (const Tensor& copy : here[slice.param])
      floats.insert(floats.end(), copy.data() + slice.begin,
                    copy.data() + slice.begin + slice.size);
  return floats;
}

}  // namespace singa
