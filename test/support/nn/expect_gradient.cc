// This file defines LayerTest::ExpectGradient.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "support/layer_test.h"
#include "support/random_values.h"

namespace singa {
namespace {

Values Shuffled(int64_t n, double gap) {
  Values values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(gap * double(i - n / 2));
  std::shuffle(values.begin(), values.end(), std::mt19937(5));
  return values;
}

class GradientChecker {
 public:
  using Maker = std::function<std::unique_ptr<BuiltLayer>()>;
  GradientChecker(Maker make, const GradientOptions& options)
      : make_(std::move(make)), options_(options) {}

  void Run() {
    layer_ = Make();
    is_loss_ = layer_->traits().originates_gradient;
    Forward(layer_.get());
    for (int k = 0; k < layer_->num_outputs(); ++k) {
      y_.push_back(layer_->Output(k));
      if (!is_loss_) r_.push_back(RandomValues(StrCat("r", k), layer_->out(k).data.size()));
    }
    layer_->Backward(r_);
    dx_ = InputGradients(layer_.get());
    dw_ = ParamGradients(layer_.get());
    CheckSecondContribution();
    for (size_t i = 0; i < dx_.size(); ++i) CheckInput(static_cast<int>(i));
    for (size_t i = 0; i < dw_.size(); ++i) CheckParam(static_cast<int>(i));
    CheckMissingGradients();
    if (layer_->traits().in_place_with >= 0) CheckInPlace();
  }

 private:
  std::unique_ptr<BuiltLayer> Make() const {
    std::unique_ptr<BuiltLayer> layer = make_();
    for (const auto& [name, values] : options_.params) layer->SetParam(name, values);
    return layer;
  }

  void Forward(BuiltLayer* layer) const {
    layer->BeginStep(0);
    layer->Forward(options_.phase);
  }

  static std::vector<Values> InputGradients(BuiltLayer* layer) {
    std::vector<Values> grads;
    for (int i = 0; i < layer->num_inputs(); ++i) grads.push_back(layer->InputGradient(i));
    return grads;
  }

  static std::vector<Values> ParamGradients(BuiltLayer* layer) {
    std::vector<Values> grads;
    for (size_t i = 0; i < layer->declare().declared().params.size(); ++i)
      grads.push_back(layer->ParamGradient(static_cast<int>(i)));
    return grads;
  }

  double Loss() {
    Forward(layer_.get());
    if (is_loss_)
      return options_.loss_factor * layer_->metric("loss") *
             static_cast<double>(layer_->in(0).span.steps);
    double sum = 0;
    for (int k = 0; k < layer_->num_outputs(); ++k) {
      const Values y = layer_->Output(k);
      for (size_t i = 0; i < y.size(); ++i) sum += double{y[i]} * r_[k][i];
    }
    return sum;
  }

  // `set` gives the layer new values of the tensor. `at`: its present values.
  void CheckTensor(const std::string& what, const Values& at, const Values& grad,
                   const std::function<void(const Values&)>& set) {
    SCOPED_TRACE(what);
    ASSERT_EQ(at.size(), grad.size());
    const double squares = std::inner_product(grad.begin(), grad.end(), grad.begin(), 0.0);
    const double rms = std::sqrt(squares / static_cast<double>(grad.size()));
    std::vector<size_t> elements(at.size());
    std::iota(elements.begin(), elements.end(), 0);
    std::shuffle(elements.begin(), elements.end(), std::mt19937(3));
    elements.resize(std::min<size_t>(elements.size(), options_.samples));
    int shown = 0;
    for (size_t i : elements) {
      const double h = options_.h;
      if (options_.kink && std::abs(at[i] - *options_.kink) < 2 * h) continue;
      Values moved = at;
      moved[i] = static_cast<float>(at[i] + h);
      const double up = moved[i];
      set(moved);
      const double above = Loss();
      moved[i] = static_cast<float>(at[i] - h);
      set(moved);
      const double difference = (above - Loss()) / (up - moved[i]);
      const double scale = std::max({std::abs(difference), std::abs(double{grad[i]}), rms});
      if (std::abs(difference - grad[i]) <= options_.relative * scale + options_.absolute) continue;
      ADD_FAILURE() << "element " << i << ": gradient " << grad[i] << ", difference " << difference;
      if (++shown == 5) break;
    }
    set(at);
  }

  void CheckInput(int i) {
    if (dx_[i].empty()) return;
    CheckTensor(StrCat("input ", i), layer_->InputData(i), dx_[i],
                [&](const Values& v) { layer_->SetInput(i, v); });
  }

  void CheckParam(int i) {
    if (dw_[i].empty()) return;
    CheckTensor(StrCat("param ", i), layer_->ParamData(std::to_string(i)), dw_[i],
                [&](const Values& v) { layer_->SetParam(std::to_string(i), v); });
  }

  static void ExpectSame(const std::vector<Values>& got, const std::vector<Values>& want,
                         float factor) {
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i].size(), want[i].size());
      for (size_t j = 0; j < want[i].size(); ++j)
        ASSERT_NEAR(got[i][j], factor * want[i][j], 1e-5 * (1 + std::abs(want[i][j])))
            << "tensor " << i << ", element " << j;
    }
  }

  void CheckSecondContribution() {
    SCOPED_TRACE("second contribution in one step");
    layer_->Forward(options_.phase);
    layer_->Backward(r_);
    ExpectSame(InputGradients(layer_.get()), dx_, 1);
    ExpectSame(ParamGradients(layer_.get()), dw_, 2);
  }

  void CheckMissingGradients() {
    SCOPED_TRACE("some gradients are not needed");
    std::unique_ptr<BuiltLayer> layer = Make();
    layer->DropInputGradients();
    Forward(layer.get());
    layer->Backward(r_);
    ExpectSame(ParamGradients(layer.get()), dw_, 1);
    layer = Make();
    layer->DropParamGradients();
    Forward(layer.get());
    layer->Backward(r_);
    ExpectSame(InputGradients(layer.get()), dx_, 1);
  }

  void CheckInPlace() {
    SCOPED_TRACE("in place");
    std::unique_ptr<BuiltLayer> layer = Make();
    layer->PutInPlace();
    Forward(layer.get());
    EXPECT_EQ(layer->Output(), y_[0]);
    layer->Backward(r_);
    EXPECT_EQ(InputGradients(layer.get()), dx_);
    EXPECT_EQ(ParamGradients(layer.get()), dw_);
    layer = Make();
    layer->PutInPlace(false);
    Forward(layer.get());
    EXPECT_EQ(layer->Output(), y_[0]) << "without gradients";
  }

  const Maker make_;
  const GradientOptions& options_;
  std::unique_ptr<BuiltLayer> layer_;
  bool is_loss_ = false;
  std::vector<Values> y_, r_, dx_, dw_;
};

}  // namespace

void LayerTest::ExpectGradient(const std::string& conf, const std::vector<Input>& inputs,
                               const GradientOptions& options) {
  std::vector<Input> with_data = inputs;
  if (options.distinct)
    for (Input& input : with_data)
      if (input.data.empty()) input.data = Shuffled(input.shape.size(), 4 * options.h);
  GradientChecker([&] { return Build(conf, with_data); }, options).Run();
}

}  // namespace singa
