#include "train/state/init_params.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file/file_system.h"
#include "io/checkpoint/blob_protos.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

constexpr float kEpsilon = 1e-5f;

// Params has a running variance of two channels, and another param.
struct Params {
  ParamTable table;
  Param* variance;
  Param* other;
  Params() {
    LayerProto layer;
    layer.set_name("bn");
    variance = table.Get(layer, "layer[bn]", 3, {1, 2, 1, 1});
    other = table.Get(layer, "layer[bn]", 0, {1, 2, 1, 1});
    variance->SetInverseEpsilon(kEpsilon);
    for (Param* param : {variance, other}) param->data = Tensor::Allocate(param->shape());
  }
};

std::string V03File(const TempDir& folder, float first, float second) {
  BlobProtos file;
  for (const char* name : {"0#bn_3", "0#bn_0"}) {
    file.add_version(7);
    file.add_name(name);
    BlobProto* blob = file.add_blob();
    for (int size : {1, 2, 1, 1}) blob->add_shape(size);
    blob->add_data(first);
    blob->add_data(second);
  }
  return folder.Write("step7-worker0", file.SerializeAsString());
}

TEST(InitParams, AnInverseVarianceOfV03BecomesTheVariance) {
  const TempDir folder;
  Params params;
  LoadParamFiles({V03File(folder, 1 / std::sqrt(4 + kEpsilon), 1 / std::sqrt(kEpsilon))},
                 params.table);
  EXPECT_NEAR(params.variance->data.data()[0], 4, 1e-5);
  EXPECT_NEAR(params.variance->data.data()[1], 0, 1e-9);
  EXPECT_NEAR(params.other->data.data()[0], 0.5, 1e-5);
}

TEST(InitParams, AVarianceThatWeWroteStays) {
  const TempDir folder;
  Params params;
  PosixFileSystem disk;
  const float values[] = {4, 9};
  const auto file = disk.Create(folder.Path("own"));
  WriteBlob("0#bn_3", 7, {1, 2, 1, 1}, values, file.get());
  LoadParamFiles({folder.Path("own")}, params.table);
  EXPECT_EQ(params.variance->data.data()[1], 9);
}

TEST(InitParams, AnInverseVarianceOfZeroIsRefused) {
  const TempDir folder;
  Params params;
  EXPECT_THROW(LoadParamFiles({V03File(folder, 1, 0)}, params.table), DataError);
}

}  // namespace
}  // namespace singa
