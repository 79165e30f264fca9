// AttentionHeads computes o of kAttention (attention.cc) from x: the feature of all heads, or that
// of the heads of a worker that divides the layer by units.
#pragma once

#include <memory>
#include <string>

#include "math/scratch_layout.h"
#include "nn/neuron/attention_plan.h"
#include "nn/neuron/attention_projection.h"
#include "singa/nn/layer.h"

namespace singa {

class AttentionHeads {
 public:
  // Reads the settings and the shape of x, and declares w_in, b_in and buffers. Throws ConfigError
  // relative to the conf.
  void Setup(const LayerProto& conf, Declare& declare, const Port& in);

  // Returns the worker's units of o.
  const UnitSpan& own() const { return own_; }
  int64_t rows() const { return shape_.steps * shape_.rows; }      // of a batch's steps
  int64_t most_rows() const { return most_steps_ * shape_.rows; }  // with those of steps before
  // The work behind the gradient of o counts as that of params.
  Work work() const;

  // `gradient`: Backward may be called.
  void Prepare(Context& ctx, bool gradient, ScratchLayout* scratch);
  // o: [most_rows(), units of the heads]. Returns the batch's rows of it.
  const float* Forward(Context& ctx, Phase phase, const Port& in, float* o);
  // d_o: the gradient of o. Overwrites in->grad, if it is wanted.
  void Backward(Context& ctx, const float* o, const float* d_o, Port* in);

 private:
  void ReadShape(const LayerProto& conf, const Shape& x);
  AttentionDropout Dropout(const Context& ctx, const RowSpan& span) const;
  static float* At(const Context& ctx, int64_t place) {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + place);
  }

  AttentionShape shape_{};  // of a batch and the worker's heads
  int64_t most_steps_ = 1;  // with those that are kept
  UnitSpan own_;
  float ratio_ = 0;
  std::string name_;
  Projection in_;
  Tensor *qkv_ = nullptr, *log_sum_ = nullptr;
  std::unique_ptr<AttentionPlan> plan_;
  int64_t plan_scratch_ = 0, dqkv_ = 0, room_ = 0;  // places in scratch
  int threads_ = 1;
  bool drops_ = false;  // the last Forward left out weights
};

}  // namespace singa
