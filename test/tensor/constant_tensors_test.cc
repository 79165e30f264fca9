#include "tensor/constant_tensors.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(ConstantTensorsTest, EachFormOfEachParamIsComputedOnce) {
  ConstantTensors constant;
  const float w = 0, v = 0;
  float made = 0;
  const auto make = [&] {
    Tensor tensor = Tensor::Allocate({1});
    *tensor.data() = ++made;
    return tensor;
  };
  const Tensor& packed = constant.Get(&w, "packed", make);
  EXPECT_EQ(*constant.Get(&w, "transposed", make).data(), 2);
  EXPECT_EQ(*constant.Get(&v, "packed", make).data(), 3);
  EXPECT_EQ(&constant.Get(&w, "packed", make), &packed);
  EXPECT_EQ(*packed.data(), 1);
}

}  // namespace
}  // namespace singa
