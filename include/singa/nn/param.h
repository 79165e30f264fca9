// Param: one trained tensor of one worker. Layers that share it (share_from, unrolled copies, the
// nets of other phases) hold the same object, so its gradient is the sum over all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "singa/proto/param.pb.h"
#include "singa/tensor/tensor.h"

namespace singa {

class Param;
struct Context;

// Computes rows [first, first + rows) of a param's gradient into `piece`, [rows, row size]. Called
// by several threads at once, each with a context of its own, which has no scratch. Must not throw.
using GradientRows = std::function<void(Context& ctx, int64_t first, int64_t rows, float* piece)>;

// Takes a large gradient piece by piece while its layer computes it, so that each piece is used
// where it is in the cache and the whole is never stored.
class GradientSink {
 public:
  // Takes the step's gradient of `param`, every row once, by calls of `rows`. The values of the
  // param change meanwhile: the layer must not read them any more in this step.
  virtual void Take(Param* param, const GradientRows& rows) = 0;

 protected:
  ~GradientSink() = default;
};

class Param {
 public:
  Param(std::string name, std::string layer, std::string path, ParamProto conf, const Shape& shape)
      : name_(std::move(name)),
        layer_(std::move(layer)),
        path_(std::move(path)),
        conf_(std::move(conf)) {
    data.SetShape(shape);
    grad.SetShape(shape);
  }

  // Plain conf name, or <layer>_<index> for a param without one.
  const std::string& name() const { return name_; }
  // The first layer that uses it.
  const std::string& layer() const { return layer_; }
  // Where the NetProto has its ParamProto, for errors: layer[fc1].param[0].
  const std::string& path() const { return path_; }
  const ParamProto& conf() const { return conf_; }
  const Shape& shape() const { return data.shape(); }
  int64_t size() const { return data.size(); }
  // Whether an update can change it; what cannot needs no gradient.
  bool trains() const { return conf_.lr_scale() != 0 && !frozen_; }
  // A value that the layer itself maintains (running statistics): never updated.
  void Freeze() { frozen_ = true; }
  // A running variance v, of which SINGA 0.3's files hold 1 / sqrt(v + epsilon), as cuDNN 4 did.
  void SetInverseEpsilon(float epsilon) { inverse_epsilon_ = epsilon; }
  float inverse_epsilon() const { return inverse_epsilon_; }  // 0: no such param

  // 0 for the first gradient of a step, 1 after: what a layer scales the old content with before
  // it adds its own (the beta of gemm).
  float beta() const { return contributions_ ? 1.f : 0.f; }
  int contributions() const { return contributions_; }
  void BeginStep() { contributions_ = 0; }
  void CountContribution() { ++contributions_; }

  // The values, as those who are no layers see them: in the host's memory. `data` where that is.
  Tensor& host() { return host_.empty() ? data : host_; }
  const Tensor& host() const { return host_.empty() ? data : host_; }
  // Layers compute on `device`, which holds the values from then on whenever they do.
  void PutOnDevice(Tensor device) {
    if (host_.empty()) host_ = std::move(data);
    data = std::move(device);
  }

  Tensor data;                   // in its logical shape, row-major; where its layers compute
  Tensor grad;                   // same shape; empty() where nothing trains it, or a sink takes it
  GradientSink* sink = nullptr;  // only of a param that its one user declared InPieces

 private:
  std::string name_, layer_, path_;
  ParamProto conf_;
  Tensor host_;  // empty: data is
  int contributions_ = 0;
  bool frozen_ = false;
  float inverse_epsilon_ = 0;
};

}  // namespace singa
