#include "nn/neuron/attention_graphs.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "math/library/cudnn_operations.h"

namespace singa {
namespace {

using FourSizes = std::array<int64_t, 4>;
// Numbers of tensors. Those within a graph follow.
enum : int64_t {
  kQuery = 1,
  kKey,
  kValues,
  kOutput,
  kLogSumOfSteps,
  kOutputGradient,
  kQueryGradient,
  kKeyGradient,
  kValuesGradient,
  kDeltaOfSteps,
  kScoreScale,
  kMaskValue,
  kUnit
};
constexpr int64_t kFirstWithin = 100;

// Values that operations read.
constexpr float kMaskedScore = -std::numeric_limits<float>::infinity(), kOneValue = 1;

// Adds the operations of a graph one by one. cuDNN has fused kernels only for certain graphs: it
// recognises attention by the operations, their order and the types between them.
// Tensors of all heads are [b, h, T, width], those of scores [b, h, T, T], and those of steps [b,
// h, T, 1].
class AttentionGraphMaker {
 public:
  AttentionGraphMaker(const AttentionShape& shape, Precision precision)
      : s_(shape), half_(CudnnTypeOf(precision)) {}

  CudnnPlan Forward(const CudnnTarget& target, const CudnnLimits& limits);
  CudnnPlan Backward(const CudnnTarget& target, const CudnnLimits& limits);

 private:
  FourSizes heads() const { return {s_.rows, s_.heads, s_.steps, s_.width}; }
  // Strides of a tensor with so many blocks of d columns.
  FourSizes strides(int64_t blocks) const {
    const int64_t row = blocks * s_.units();
    return {row, s_.width, s_.rows * row, 1};
  }
  static FourSizes Transposed(const FourSizes& four) {
    return {four[0], four[1], four[3], four[2]};
  }

  CudnnDescriptor Heads(int64_t number, int64_t blocks) const {
    return CudnnTensor{number, half_, heads(), strides(blocks)}.Describe();
  }
  CudnnDescriptor TransposedHeads(int64_t number, int64_t blocks) const {
    return CudnnTensor{number, half_, Transposed(heads()), Transposed(strides(blocks))}.Describe();
  }
  CudnnDescriptor Steps(int64_t number) const {
    return CudnnTensor{number,
                       CUDNN_DATA_FLOAT,
                       {s_.rows, s_.heads, s_.steps, 1},
                       {s_.heads * s_.steps, s_.steps, 1, 1}}
        .Describe();
  }
  static CudnnDescriptor Value(int64_t number) {
    return CudnnTensor{number,       CUDNN_DATA_FLOAT, {1, 1, 1, 1},
                       {1, 1, 1, 1}, sizeof(float),    CudnnPlace::kValue}
        .Describe();
  }
  CudnnDescriptor Within(cudnnDataType_t type, const FourSizes& dims, const FourSizes& strides) {
    return CudnnTensor{next_++, type, dims, strides, 16, CudnnPlace::kWithinGraph}.Describe();
  }
  CudnnDescriptor StepsWithin() {
    return Within(CUDNN_DATA_FLOAT, {s_.rows, s_.heads, s_.steps, 1},
                  {s_.heads * s_.steps, s_.steps, 1, 1});
  }
  CudnnDescriptor ScoresWithin(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    const int64_t t = s_.steps;
    return Within(type, {s_.rows, s_.heads, t, t}, {s_.heads * t * t, t * t, t, 1});
  }

  // Adds y = mode(inputs), and returns y.
  CudnnDescriptor Add(const CudnnPointwise& how, std::initializer_list<CudnnDescriptor> inputs,
                      const CudnnDescriptor& y) {
    operations_.push_back(how.Operation(inputs, y));
    return y;
  }
  CudnnDescriptor AddProduct(const CudnnDescriptor& a, const CudnnDescriptor& b,
                             const CudnnDescriptor& c) {
    operations_.push_back(CudnnProduct(a, b, c));
    return c;
  }
  CudnnDescriptor AddReduction(cudnnReduceTensorOp_t how, const CudnnDescriptor& x,
                               const CudnnDescriptor& y) {
    operations_.push_back(CudnnReduction(how, x, y));
    return y;
  }
  CudnnDescriptor AddReshape(const CudnnDescriptor& x, const CudnnDescriptor& y) {
    operations_.push_back(CudnnReshape(x, y));
    return y;
  }

  CudnnDescriptor ScaledScores(const CudnnDescriptor& q, const CudnnDescriptor& k_t);
  CudnnDescriptor Mask(const CudnnDescriptor& scores);
  CudnnDescriptor TransposedScores(const CudnnDescriptor& scores);
  CudnnDescriptor Delta(const CudnnDescriptor& o, const CudnnDescriptor& d_o);

  const AttentionShape s_;
  const cudnnDataType_t half_;
  std::vector<CudnnDescriptor> operations_;
  int64_t next_ = kFirstWithin;
};

CudnnDescriptor AttentionGraphMaker::ScaledScores(const CudnnDescriptor& q,
                                                  const CudnnDescriptor& k_t) {
  const CudnnDescriptor product = AddProduct(q, k_t, ScoresWithin());
  return Add({CUDNN_POINTWISE_MUL}, {product, Value(kScoreScale)}, ScoresWithin());
}

// Replaces scores of keys after the query.
CudnnDescriptor AttentionGraphMaker::Mask(const CudnnDescriptor& scores) {
  if (!s_.causal) return scores;
  const auto index = [&](int64_t axis) {
    return Add({CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, axis}, {scores},
               ScoresWithin(CUDNN_DATA_INT32));
  };
  const CudnnDescriptor query = index(2), key = index(3);
  const CudnnDescriptor reads = Add({CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN}, {query, key},
                                    ScoresWithin(CUDNN_DATA_BOOLEAN));
  return Add({CUDNN_POINTWISE_BINARY_SELECT}, {scores, Value(kMaskValue), reads}, ScoresWithin());
}

// Returns them as factors of a product.
CudnnDescriptor AttentionGraphMaker::TransposedScores(const CudnnDescriptor& scores) {
  const int64_t t = s_.steps;
  return AddReshape(scores,
                    Within(half_, {s_.rows, s_.heads, t, t}, {s_.heads * t * t, t * t, 1, t}));
}

CudnnPlan AttentionGraphMaker::Forward(const CudnnTarget& target, const CudnnLimits& limits) {
  const CudnnDescriptor scores = Mask(ScaledScores(Heads(kQuery, 3), TransposedHeads(kKey, 3)));
  const CudnnDescriptor largest = AddReduction(CUDNN_REDUCE_TENSOR_MAX, scores, StepsWithin());
  const CudnnDescriptor below = Add({CUDNN_POINTWISE_SUB}, {scores, largest}, ScoresWithin());
  const CudnnDescriptor terms = Add({CUDNN_POINTWISE_EXP}, {below}, ScoresWithin());
  const CudnnDescriptor sum = AddReduction(CUDNN_REDUCE_TENSOR_ADD, terms, StepsWithin());
  const CudnnDescriptor log = Add({CUDNN_POINTWISE_LOG}, {sum}, StepsWithin());
  Add({CUDNN_POINTWISE_ADD}, {largest, log}, Steps(kLogSumOfSteps));
  const CudnnDescriptor weights = Add({CUDNN_POINTWISE_DIV}, {terms, sum}, ScoresWithin(half_));
  AddProduct(weights, Heads(kValues, 3), Heads(kOutput, 1));
  return CudnnPlan::Make(target, operations_, limits);
}

// Returns D. cuDNN recognises the graph only if D is in memory, and if it has a factor where
// dropout's would be, here 1.
CudnnDescriptor AttentionGraphMaker::Delta(const CudnnDescriptor& o, const CudnnDescriptor& d_o) {
  const CudnnDescriptor products =
      Add({CUDNN_POINTWISE_MUL}, {d_o, o}, Within(CUDNN_DATA_FLOAT, heads(), strides(1)));
  const CudnnDescriptor sum = AddReduction(CUDNN_REDUCE_TENSOR_ADD, products, StepsWithin());
  return Add({CUDNN_POINTWISE_MUL}, {sum, Value(kUnit)}, Steps(kDeltaOfSteps));
}

CudnnPlan AttentionGraphMaker::Backward(const CudnnTarget& target, const CudnnLimits& limits) {
  const CudnnDescriptor q = Heads(kQuery, 3), k_t = TransposedHeads(kKey, 3),
                        d_o = Heads(kOutputGradient, 1);
  const CudnnDescriptor delta = Delta(Heads(kOutput, 1), d_o);
  const CudnnDescriptor below =
      Add({CUDNN_POINTWISE_SUB}, {ScaledScores(q, k_t), Steps(kLogSumOfSteps)}, ScoresWithin());
  const CudnnDescriptor weights = Add({CUDNN_POINTWISE_EXP}, {Mask(below)}, ScoresWithin());
  AddProduct(TransposedScores(weights), d_o, Heads(kValuesGradient, 3));
  const CudnnDescriptor dp = AddProduct(d_o, TransposedHeads(kValues, 3), ScoresWithin());
  const CudnnDescriptor centred = Add({CUDNN_POINTWISE_SUB}, {dp, delta}, ScoresWithin());
  const CudnnDescriptor ds = Add({CUDNN_POINTWISE_MUL}, {centred, weights}, ScoresWithin());
  const CudnnDescriptor scaled =
      Add({CUDNN_POINTWISE_MUL}, {ds, Value(kScoreScale)}, ScoresWithin());
  AddProduct(TransposedScores(scaled), q, Heads(kKeyGradient, 3));
  const CudnnDescriptor k = AddReshape(k_t, Within(half_, heads(), strides(3)));
  AddProduct(scaled, k, Heads(kQueryGradient, 3));
  return CudnnPlan::Make(target, operations_, limits);
}

std::optional<CudnnPlan> BackwardPlan(const CudnnTarget& target, const AttentionShape& shape,
                                      Precision precision, bool gradient,
                                      const CudnnLimits& limits) {
  if (!gradient) return {};
  return AttentionGraphMaker(shape, precision).Backward(target, limits);
}

}  // namespace

AttentionGraphs::AttentionGraphs(const CudnnTarget& target, const AttentionShape& shape,
                                 Precision precision, bool gradient, int64_t workspace)
    : shape_(shape),
      forward_(AttentionGraphMaker(shape, precision).Forward(target, {true, workspace})),
      backward_(BackwardPlan(target, shape, precision, gradient, {true, workspace})) {}

int64_t AttentionGraphs::workspace_bytes() const {
  return std::max(forward_.workspace_bytes(), backward_ ? backward_->workspace_bytes() : 0);
}

void AttentionGraphs::Forward(Context& ctx, const uint16_t* qkv, uint16_t* o, float* log_sum,
                              void* workspace) const {
  const int64_t d = shape_.units();
  const float scale = shape_.scale();
  forward_.Run(ctx,
               {{kQuery, qkv},
                {kKey, qkv + d},
                {kValues, qkv + 2 * d},
                {kOutput, o},
                {kLogSumOfSteps, log_sum},
                {kScoreScale, &scale},
                {kMaskValue, &kMaskedScore}},
               workspace);
}

void AttentionGraphs::Backward(Context& ctx, const uint16_t* qkv, const uint16_t* o,
                               const float* log_sum, const uint16_t* d_o, uint16_t* dqkv,
                               float* delta, void* workspace) const {
  const int64_t d = shape_.units();
  const float scale = shape_.scale();
  backward_->Run(ctx,
                 {{kQuery, qkv},
                  {kKey, qkv + d},
                  {kValues, qkv + 2 * d},
                  {kOutput, o},
                  {kLogSumOfSteps, log_sum},
                  {kOutputGradient, d_o},
                  {kQueryGradient, dqkv},
                  {kKeyGradient, dqkv + d},
                  {kValuesGradient, dqkv + 2 * d},
                  {kDeltaOfSteps, delta},
                  {kScoreScale, &scale},
                  {kMaskValue, &kMaskedScore},
                  {kUnit, &kOneValue}},
                 workspace);
}

}  // namespace singa
