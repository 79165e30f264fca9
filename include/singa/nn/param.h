// Param is one trained tensor of one worker. Layers that share it (share_from, unrolled copies, the
// nets of other phases) use the same object, so its gradient is the sum over all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "singa/proto/param.pb.h"
#include "singa/tensor/tensor.h"

namespace singa {

class Param;
struct Context;

// Computes rows [first, first + rows) of a param's gradient into `piece`, [rows, row size]. Several
// threads call it at once, each with its own context, which has no scratch. Must not throw.
using GradientRows = std::function<void(Context& ctx, int64_t first, int64_t rows, float* piece)>;

// Takes a large gradient in pieces while its layer computes it. Each piece is used while it is in
// the cache, and the whole gradient is never stored.
class GradientSink {
 public:
  // Takes the step's gradient of `param`, each row once, by calls of `rows`. This changes the
  // values of the param, so the layer must not read them again in this step.
  virtual void Consume(Param* param, const GradientRows& rows) = 0;

 protected:
  ~GradientSink() = default;
};

class Param {
 public:
  Param(std::string name, std::string layer, std::string path, ParamProto conf, const Shape& shape)
      : Param(std::move(name), std::move(layer), std::move(path), std::move(conf), shape, 0,
              shape.dims() > 0 ? shape[0] : 0) {}
  // Makes rows [first_row, first_row + rows) of a param of shape `whole`, whose layer the workers
  // of a group divide by units. `contributors`: as below.
  Param(std::string name, std::string layer, std::string path, ParamProto conf, const Shape& whole,
        int64_t first_row, int64_t rows, int contributors = 0)
      : name_(std::move(name)),
        layer_(std::move(layer)),
        path_(std::move(path)),
        conf_(std::move(conf)),
        whole_(whole),
        first_row_(first_row),
        contributors_(contributors) {
    Shape shape = whole;
    if (shape.dims() > 0) shape.Set(0, rows);
    data.SetShape(shape);
    grad.SetShape(shape);
  }

  // Returns the conf name without decoration, or <layer>_<index> for a param without a name.
  const std::string& name() const { return name_; }
  // The first layer that uses it.
  const std::string& layer() const { return layer_; }
  // Returns the path of the ParamProto in the NetProto, for errors: layer[fc1].param[0].
  const std::string& path() const { return path_; }
  const ParamProto& conf() const { return conf_; }
  // Sets how the first values are made, for a param whose conf has no init.
  void SetInit(const ParamGenProto& init) { *conf_.mutable_init() = init; }
  const Shape& shape() const { return data.shape(); }
  int64_t size() const { return data.size(); }
  // Return the shape of the whole param, the first of its rows that this worker has, and the index
  // of this row's first value in the whole param.
  const Shape& whole_shape() const { return whole_; }
  int64_t first_row() const { return first_row_; }
  int64_t begin() const { return first_row_ == 0 ? 0 : first_row_ * data.row_size(); }
  bool is_part() const { return !(whole_ == shape()); }
  // Returns the number of workers of the group that compute the gradient of these rows, each a part
  // of it; 0: all. 1 and not is_part(): each computes the whole gradient; the first one's is used.
  int contributors() const { return contributors_; }
  // Returns whether updates change the param. If not, it needs no gradient.
  bool trains() const { return conf_.lr_scale() != 0 && !frozen_; }
  // Returns the whole param, without memory.
  std::unique_ptr<Param> Whole() const {
    auto whole = std::make_unique<Param>(name_, layer_, path_, conf_, whole_);
    whole->frozen_ = frozen_;
    whole->inverse_epsilon_ = inverse_epsilon_;
    whole->transposed_ = transposed_;
    return whole;
  }
  // Excludes the param from updates: the layer itself maintains it (running statistics).
  void Freeze() { frozen_ = true; }
  bool maintained() const { return frozen_; }
  // Marks the param as a running variance v. SINGA 0.3's files hold 1 / sqrt(v + epsilon) instead,
  // as cuDNN 4 did.
  void SetInverseEpsilon(float epsilon) { inverse_epsilon_ = epsilon; }
  float inverse_epsilon() const { return inverse_epsilon_; }  // 0: not a running variance
  // Marks a weight of (inputs, outputs). Other programs store the transposed matrix.
  void SetTransposed() { transposed_ = true; }
  bool transposed() const { return transposed_; }

  // Returns the factor of the old gradient when a layer adds its own (the beta of gemm): 0 for the
  // first contribution of a step, then 1.
  float beta() const { return contributions_ ? 1.f : 0.f; }
  void BeginStep() { contributions_ = 0; }
  void CountContribution() { ++contributions_; }

  // Returns the values in the host's memory, for code other than layers. It is `data` unless
  // PutOnDevice was called.
  Tensor& host() { return host_.empty() ? data : host_; }
  const Tensor& host() const { return host_.empty() ? data : host_; }
  // Makes layers compute on `device`, a tensor in a device's memory. Before layers compute, the
  // caller has to bring the values there.
  void PutOnDevice(Tensor device) {
    if (host_.empty()) host_ = std::move(data);
    data = std::move(device);
  }

  Tensor data;                   // in its logical shape, row-major; on the device of its layers
  Tensor grad;                   // same shape; empty() if nothing trains it or a sink takes it
  GradientSink* sink = nullptr;  // only if its one layer declared it InPieces; else null

 private:
  std::string name_, layer_, path_;
  ParamProto conf_;
  Shape whole_;
  int64_t first_row_ = 0;
  int contributors_ = 0;
  Tensor host_;  // empty: `data` is on the host
  int contributions_ = 0;
  bool frozen_ = false;
  float inverse_epsilon_ = 0;
  bool transposed_ = false;
};

}  // namespace singa
