// Attention of a head on the time steps of its row. With q, k, v of all steps as the rows of Q, K,
// V and the scale 1 / sqrt(width):
//   P = softmax(scale Q K^T) by rows;  O = (P * Z) V;  Z: dropout, 1 without
//   dV = (P * Z)^T dO;  dP = (dO V^T) * Z;  dS = P * (dP - D);  D_t = <dO_t, O_t>
//   dQ = scale dS K;  dK = scale dS^T Q
// Causal: step t reads the steps up to t alone. Source: Vaswani et al., arXiv:1706.03762; equals
// torch.nn.functional.scaled_dot_product_attention. Only O and the logarithm of each softmax's sum
// are kept, and P is computed again from it (Dao et al., arXiv:2205.14135), so memory grows with
// the number of time steps, not with its square. These kernels compute in float32.
#pragma once

#include <cmath>

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

struct AttentionShape {
  int64_t steps, rows, heads, width;  // T, b, h, numbers of a head
  bool causal;

  SINGA_HD int64_t units() const { return heads * width; }
  SINGA_HD int64_t pairs() const { return rows * heads; }  // pair i: row i / heads, head i % heads
  // Returns the factor of the products <q, k>.
  SINGA_HD float scale() const { return 1 / std::sqrt(static_cast<float>(width)); }
  // Returns the end of the keys that step t reads.
  SINGA_HD int64_t KeysOf(int64_t t) const { return causal ? t + 1 : steps; }
};

// Z is counter-based: each kernel computes it again. It depends on the row of the whole batch, the
// head of the whole layer and the two time steps, so partitions do not change it.
struct AttentionDropout {
  float ratio = 0;  // probability of Z = 0; else Z = 1 / (1 - ratio)
  Philox numbers = {};
  int64_t first_row = 0;   // number of row 0 in the whole batch
  int64_t first_head = 0;  // number of head 0 in the whole layer
  int64_t all_heads = 0;   // of the whole layer; 0: the shape's heads are all

  // Returns the number of Z of step t and key 0, a multiple of 4.
  SINGA_HD uint64_t IndexOf(const AttentionShape& shape, int64_t pair, int64_t t) const {
    const int64_t heads = all_heads > 0 ? all_heads : shape.heads;
    const int64_t row = first_row + pair / shape.heads, head = first_head + pair % shape.heads;
    const int64_t keys = (shape.steps + 3) / 4 * 4;
    return static_cast<uint64_t>(((row * heads + head) * shape.steps + t) * keys);
  }
  SINGA_HD float Of(uint32_t word) const {
    return Philox::ToUniform(word) < 1 - ratio ? 1 / (1 - ratio) : 0.f;
  }
  // Returns Z of key s, where `index` is IndexOf its step.
  SINGA_HD float At(uint64_t index, int64_t s) const {
    return ratio == 0 ? 1.f : Of(numbers.Word(index + static_cast<uint64_t>(s)));
  }
};

// Row t b + r of qkv, [T b, 3 d], has q, k and v of step t of row r, each by head. o: [T b, d];
// log_sum: [b h, T]. Only their steps from `first` on are wanted; first = 0: all. Kernels may
// write earlier steps, too.
struct AttentionFeature {
  AttentionShape shape;
  int64_t first = 0;
  AttentionDropout dropout;
  const float* qkv;
  float *o, *log_sum;
  void* scratch;  // AttentionScratch bytes
  int threads;    // of AttentionScratch
};

// do: [T b, d], the gradient of o; dqkv: [T b, 3 d].
struct AttentionGradient {
  AttentionShape shape;
  AttentionDropout dropout;
  const float *qkv, *o, *log_sum, *d_o;
  float* dqkv;
  void* scratch;
  int threads;
};

inline constinit Kernel<void(const AttentionFeature&)> AttentionForward{"AttentionForward"};
inline constinit Kernel<void(const AttentionGradient&)> AttentionBackward{"AttentionBackward"};

// Returns the bytes of scratch that any of the kernels needs with `threads` threads.
int64_t AttentionScratch(const AttentionShape& shape, int threads);

// One head of one row of a tensor of [T b, columns]: step t lies at data + t * stride.
template <typename T>
struct HeadSteps {
  T* data;
  int64_t stride;
  SINGA_HD T* At(int64_t t) const { return data + t * stride; }
};

// `block`: 0 to 2 for q, k and v of a tensor with three blocks of d columns; of o: 0 of one.
template <typename T>
SINGA_HD HeadSteps<T> HeadOf(const AttentionShape& shape, T* data, int64_t pair, int64_t block,
                             int64_t blocks) {
  const int64_t row = pair / shape.heads, head = pair % shape.heads, d = shape.units();
  return {data + row * blocks * d + block * d + head * shape.width, shape.rows * blocks * d};
}

}  // namespace singa
