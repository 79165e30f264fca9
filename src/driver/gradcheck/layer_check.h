// LayerCheck compares the gradients of one layer with differences of its features: with the other
// inputs fixed, an element x has the gradient (J(x + h) - J(x - h)) / 2 h. J is a sum of the
// layer's outputs with random weights or, of a loss, its metric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

// The check of one input or param of a layer.
struct TensorCheck {
  std::string tensor;    // srclayers[0] "data", or param[0] "w1"
  int64_t elements = 0;  // that were compared
  int64_t kinks = 0;  // elements where J has a kink nearby, such as relu's, which were not compared
  double worst = 0;   // largest difference, relative to the tensor's gradients
  int64_t at = 0;     // the element that has it
  double gradient = 0, difference = 0;  // there

  bool ok() const { return worst <= kTolerance; }
  static constexpr double kTolerance = 0.02;  // float32 allows no less
};

class LayerCheck {
 public:
  // `net` is open, on the host, and its features share no memory. `node` is one of its layers. All
  // must outlive it.
  LayerCheck(Context* ctx, Net* net, NetNode* node);

  // Returns a check of each input and param that gets a gradient. REQUIRES: the features of the
  // node's sources were computed.
  std::vector<TensorCheck> Run();

 private:
  struct Tested {
    std::string name;
    Tensor* values;
    std::vector<float> at;        // the values
    std::vector<float> gradient;  // that the layer computes
  };

  void SetWeights();
  bool Tests(const Tensor& values) const;
  void FindTensors();
  void ComputeGradients();
  double Objective();
  double Rounding() const;
  double StepFor(const Tested& of, double typical) const;
  double ObjectiveAt(Tested* of, int64_t element, double value);
  double DifferenceAt(Tested* of, int64_t element, double h);
  double KinkAt(Tested* of, int64_t element, double h);
  double LossFactor();
  TensorCheck Check(Tested* of, double factor);

  Context& ctx_;
  Net& net_;
  NetNode& node_;
  std::vector<std::vector<float>> inputs_;   // of all sources, also those without a gradient
  std::vector<std::vector<float>> weights_;  // of each output in J; none: the layer is a loss
  std::vector<Tested> tested_;
  double rounding_ = 0;  // typical error of J from the rounding of outputs
};

}  // namespace singa
