// ConstantTensors holds tensors that layers compute from params once, in a net whose params do not
// change, such as weights in a kernel's own format. Only one thread may use it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "singa/tensor/tensor.h"

namespace singa {

class ConstantTensors {
 public:
  // Returns the tensor that `make` computes from `values`. It is computed by the first call for
  // `values` and `form`, a name for what is made of them. Nets of several sizes share it.
  template <typename Make>
  const Tensor& Get(const void* values, const std::string& form, const Make& make) {
    Tensor& tensor = tensors_[{values, form}];
    if (tensor.empty()) tensor = make();
    return tensor;
  }

 private:
  std::map<std::pair<const void*, std::string>, Tensor> tensors_;
};

}  // namespace singa
