// BuiltLayer is one layer with the ports, params and memory that a net would give it. All values
// that a correct layer does not read hold NaN: outputs before a feature; gradients and scratch
// before a gradient; inputs and outputs that, by Traits, the gradient does not read. A layer that
// is not for the context's device runs on the host.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "singa/nn/layer.h"
#include "support/device_memory.h"

namespace singa {

// One source of the layer under test.
struct Input {
  Shape shape;                   // logical: (n, c, h, w)
  std::vector<float> data = {};  // row-major in that order; none: N(0, 1)
  std::vector<int> labels = {};  // of each row; none: the source has no labels
  RowSpan span = {};             // rows 0: {0, shape[0], shape[0]}
  bool gradient = true;          // false: nothing below trains
};

class BuiltLayer {
 public:
  // Runs Setup and Prepare. Allocates memory at the first use. `conf` is the text of a LayerProto;
  // a layer without a name is called "layer". Its net has the phase of `include`; none: kTrain.
  BuiltLayer(const Context& ctx, const std::string& conf, const std::vector<Input>& inputs);
  // Fails the test if a layer without a plan called a kernel that Declare::Uses did not name.
  ~BuiltLayer();

  Layer& layer() { return *layer_; }
  Declare& declare() { return *declare_; }
  const Wiring& wiring() const { return wiring_; }
  const Traits& traits() const { return traits_; }
  Context& ctx() { return ctx_; }
  Port& in(int i) { return in_ports_[i]; }
  Port& out(int k) { return out_ports_[k]; }
  int num_inputs() const { return static_cast<int>(in_ports_.size()); }
  int num_outputs() const { return static_cast<int>(out_ports_.size()); }
  const Shape& output_shape(int k = 0) const { return out_ports_[k].data.shape(); }
  Param& param(const std::string& name_or_index);

  // Binds outputs[0] to the memory of the input that Traits names, as a net does. If the net
  // trains, their gradients share memory, and their features unless a gradient reads the inputs.
  // Else only their features do. REQUIRES: nothing ran yet.
  void PutInPlace(bool trains = true) {
    shares_feature_ = !trains || !traits_.grad_reads_in;
    shares_gradient_ = trains;
  }
  // Removes the gradient's memory, as if nothing trains.
  void DropInputGradients();
  void DropParamGradients();

  // Values go in and come out in logical order: row-major (n, c, h, w).
  void SetInput(int i, const std::vector<float>& values) { inputs_[i].data = values; }
  std::vector<float> InputData(int i) const { return inputs_[i].data; }
  void SetParam(const std::string& name_or_index, const std::vector<float>& values);
  std::vector<float> ParamData(const std::string& name_or_index);
  std::vector<float> Output(int k = 0) const;
  std::vector<float> InputGradient(int i = 0) const;
  std::vector<float> ParamGradient(int i) const;
  std::vector<float> BufferData(const Buffer& buffer) const { return memory_.Read(buffer.tensor); }
  // Returns the sum divided by the weight, of all numbers added since BeginStep.
  double metric(const std::string& name);

  void BeginStep(int64_t step);
  void Forward(Phase phase);
  // Makes one contribution to the step's gradients. `dy`: one for each output, none for a loss.
  void Backward(const std::vector<std::vector<float>>& dy);

 private:
  void MakePorts(const std::vector<Input>& inputs);
  void GoToHost();
  void Allocate();
  void AllocateInput(int i);
  std::vector<float> Logical(const Tensor& feature) const;
  void SetLogical(const std::vector<float>& values, Tensor* feature) const;

  Context ctx_;
  StepState state_;
  DeviceMemory memory_{&ctx_};
  Tensor device_state_;
  LayerProto conf_;
  std::vector<Input> inputs_;
  ParamTable table_;
  std::deque<Port> in_ports_, out_ports_, checked_ports_;
  std::vector<Port*> in_, out_, checked_;  // checked: in the host's memory
  std::unique_ptr<Declare> declare_;
  std::unique_ptr<Layer> layer_;
  Wiring wiring_;
  Traits traits_;
  Tensor scratch_, metric_cells_;
  bool allocated_ = false, shares_feature_ = false, shares_gradient_ = false;
  KernelTrace trace_;
  std::vector<KernelChoice> plans_;
};

// These convert a feature's values between logical and stored order (4-D: channels-last). The
// tensor is in the host's memory.
std::vector<float> ToLogical(const Tensor& feature);
void FromLogical(const std::vector<float>& values, Tensor* feature);

}  // namespace singa
