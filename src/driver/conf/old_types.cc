#include "driver/conf/old_types.h"

#include "singa/base/str_cat.h"

namespace singa {
namespace {

struct Alias {
  LayerType alias, plain;
};
constexpr Alias kAliases[] = {
    {kCConvolution, kConvolution},   {kCPooling, kPooling}, {kCudnnConv, kConvolution},
    {kCudnnPool, kPooling},          {kCudnnLRN, kLRN},     {kCudnnSoftmax, kSoftmax},
    {kCudnnActivation, kActivation}, {kCudnnBM, kBM},       {kCudnnSoftmaxLoss, kSoftmaxLoss},
};

struct Deprecated {
  LayerType type;
  const char* text;
};
constexpr Deprecated kDeprecated[] = {
    {kShardData,
     "write kRecordInput, with backend: \"shard\", path, batchsize and shape in its store_conf"},
    {kLMDBData,
     "write kRecordInput, with backend: \"lmdb\", path, batchsize and shape in its store_conf"},
    {kLabel, "kRecordInput has the labels: let the loss read it"},
    {kMnist,
     "write std_value: norm_a and mean_value: norm_a x norm_b in the store_conf of kRecordInput"},
    {kRGBImage, "write kImagePreprocess, with the same rgbimage_conf"},
};

}  // namespace

std::string OldTypeText(LayerType type) {
  for (const Alias& row : kAliases)
    if (row.alias == type)
      return StrCat(LayerType_Name(type), " is an old name of ", LayerType_Name(row.plain),
                    ", which runs on CPU and GPU alike");
  for (const Deprecated& row : kDeprecated)
    if (row.type == type) return StrCat(LayerType_Name(type), " is deprecated: ", row.text);
  return "";
}

}  // namespace singa
