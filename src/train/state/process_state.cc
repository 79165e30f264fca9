#include "train/state/process_state.h"

#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 31;
constexpr int kMostSizes = 8;

StoredTensor TensorOf(const ProcessState::Tensor& from) {
  StoredTensor tensor;
  tensor.name = from.name();
  bool right = from.type() >= 0 && from.type() <= static_cast<int>(StoredType::kF64) &&
               from.size_size() <= kMostSizes;
  std::vector<int64_t> sizes;
  int64_t elements = 1;
  for (const int64_t size : from.size()) {
    right = right && size >= 0 && size <= kMostElements && elements * size <= kMostElements;
    if (!right) break;
    elements *= size;
    sizes.push_back(size);
  }
  if (right) {
    tensor.type = static_cast<StoredType>(from.type());
    tensor.shape = Shape(sizes);
    tensor.data = from.data().data();
  }
  if (!right || tensor.bytes() != static_cast<int64_t>(from.data().size()))
    throw PeerError(StrCat("a process gave a tensor for a checkpoint that is none, ", from.name()));
  return tensor;
}

}  // namespace

void AddTensors(const std::vector<StoredTensor>& tensors, ProcessState* state) {
  for (const StoredTensor& tensor : tensors) {
    ProcessState::Tensor* const to = state->add_tensor();
    to->set_name(tensor.name);
    to->set_type(static_cast<int>(tensor.type));
    for (int i = 0; i < tensor.shape.dims(); ++i) to->add_size(tensor.shape[i]);
    to->set_data(tensor.data, tensor.bytes());
  }
}

std::vector<StoredTensor> TensorsOf(const ProcessState& state) {
  std::vector<StoredTensor> tensors;
  for (const ProcessState::Tensor& tensor : state.tensor()) tensors.push_back(TensorOf(tensor));
  return tensors;
}

}  // namespace singa
