#include "driver/gradcheck/layer_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/text/element_path.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kSamples = 40;  // elements of a tensor that are compared, at most
// The largest error that the rounding of features may cause, as a share of a typical gradient. To
// stay below it, an element is moved further than usual, by the second factor at most.
constexpr double kRoundingShare = 0.005, kMostTimesFurther = 1000;

std::vector<float> ValuesOf(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.size()};
}

double RootMeanSquare(const std::vector<float>& values) {
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

// Returns numbers below `n`, ascending and the same each time: all, or one of each of kSamples
// equal ranges.
std::vector<int64_t> SampledElements(int64_t n) {
  std::mt19937_64 random(3);
  std::vector<int64_t> elements;
  const int64_t count = std::min(n, kSamples);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * n / count, end = (i + 1) * n / count;
    elements.push_back(begin + static_cast<int64_t>(random() % static_cast<uint64_t>(end - begin)));
  }
  return elements;
}

}  // namespace

LayerCheck::LayerCheck(Context* ctx, Net* net, NetNode* node)
    : ctx_(*ctx), net_(*net), node_(*node) {
  for (const Port* port : node_.in) inputs_.push_back(ValuesOf(port->data));
}

std::vector<TensorCheck> LayerCheck::Run() {
  Objective();  // the outputs have sizes now
  SetWeights();
  rounding_ = Rounding();
  FindTensors();
  ComputeGradients();
  const double factor = LossFactor();
  std::vector<TensorCheck> checks;
  for (Tested& tested : tested_) checks.push_back(Check(&tested, factor));
  return checks;
}

// Outputs that no reader gives a gradient do not count.
void LayerCheck::SetWeights() {
  if (node_.traits.originates_gradient) return;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> weight(-1, 1);
  for (const Port* port : node_.out) {
    std::vector<float>& weights = weights_.emplace_back(port->data.size());
    if (port->grad.empty()) continue;
    for (float& one : weights) one = weight(random);
    for (const NetNode::Unread& unread : node_.unread) {
      if (unread.port != port) continue;
      const int64_t size = std::ssize(weights) / unread.steps;
      std::fill_n(weights.begin() + unread.step * size, size, 0.f);
    }
  }
}

// Two sources may be one feature.
bool LayerCheck::Tests(const Tensor& values) const {
  return std::ranges::any_of(
      tested_, [&](const Tested& tested) { return tested.values->data() == values.data(); });
}

void LayerCheck::FindTensors() {
  for (size_t i = 0; i < node_.in.size(); ++i) {
    if (node_.in[i]->grad.empty() || Tests(node_.in[i]->data)) continue;
    const std::string source = static_cast<int>(i) < node_.conf.srclayers_size()
                                   ? node_.conf.srclayers(static_cast<int>(i))
                                   : std::string();
    tested_.push_back(
        {StrCat("srclayers[", i, "] \"", source, "\""), &node_.in[i]->data, inputs_[i], {}});
  }
  const std::vector<Param*>& params = node_.declared().params;
  for (size_t i = 0; i < params.size(); ++i) {
    const auto& given = node_.declared().given;
    if (!params[i]->trains() || std::ranges::find(given, params[i]) == given.end()) continue;
    if (params[i]->grad.empty()) params[i]->grad = Tensor::Allocate(params[i]->shape());
    tested_.push_back({StrCat("param[", i, "] \"", params[i]->name(), "\""),
                       &params[i]->data,
                       ValuesOf(params[i]->data),
                       {}});
  }
}

void LayerCheck::ComputeGradients() {
  for (size_t i = 0; i < weights_.size(); ++i)
    if (Tensor& grad = node_.out[i]->grad; !grad.empty())
      std::ranges::copy(weights_[i], grad.data());
  net_.BeginStep();
  net_.ComputeGradient(ctx_, node_);
  for (Tested& tested : tested_) {
    for (const Port* port : node_.in) {
      if (port->grad.empty() || port->data.data() != tested.values->data()) continue;
      tested.gradient.resize(port->grad.size());
      for (int64_t i = 0; i < port->grad.size(); ++i) tested.gradient[i] += port->grad.data()[i];
    }
    for (const Param* param : node_.declared().params)
      if (&param->data == tested.values) tested.gradient = ValuesOf(param->grad);
  }
}

// Computes the feature of the layer and returns J.
double LayerCheck::Objective() {
  for (size_t i = 0; i < node_.in.size(); ++i)  // a layer may have written over its source
    if (!Tests(node_.in[i]->data)) std::ranges::copy(inputs_[i], node_.in[i]->data.data());
  net_.ClearMetrics(ctx_);
  Context own = node_.ContextOf(ctx_);
  node_.layer->BeginPass(own, 0);  // what it carries from batch to batch would change its feature
  net_.ComputeFeature(ctx_, node_, static_cast<Phase>(kTrain | kForward));
  if (node_.traits.originates_gradient) {
    for (const Metric& metric : node_.declared().metrics) {
      const double* const cell = metric.cell.as<double>();
      if (metric.name == "loss" || node_.declared().metrics.size() == 1) return cell[0] / cell[1];
    }
    throw Error(kExitConfig,
                StrCat("layer \"", node_.name, "\" is a loss without a metric \"loss\""));
  }
  double sum = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float* const y = node_.out[i]->data.data();
    for (size_t j = 0; j < weights_[i].size(); ++j) sum += double{y[j]} * weights_[i][j];
  }
  return sum;
}

// Returns the typical error of J from the rounding of outputs to float32; 0 for a loss.
double LayerCheck::Rounding() const {
  double squares = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float* const y = node_.out[i]->data.data();
    for (size_t j = 0; j < weights_[i].size(); ++j) {
      const double term = double{y[j]} * weights_[i][j];
      squares += term * term;
    }
  }
  return std::sqrt(squares) * std::numeric_limits<float>::epsilon() / 2;
}

// Returns how far elements are moved. `typical`: size of the tensor's gradients.
double LayerCheck::StepFor(const Tested& of, double typical) const {
  const double least = 0.01 * RootMeanSquare(of.at) + 1e-3;
  const double wanted = typical > 0 ? rounding_ / (kRoundingShare * typical) : 0;
  return wanted > least ? std::min(wanted, kMostTimesFurther * least) : least;
}

double LayerCheck::ObjectiveAt(Tested* of, int64_t element, double value) {
  for (Tested& tested : tested_) std::ranges::copy(tested.at, tested.values->data());
  of->values->data()[element] = static_cast<float>(value);
  return Objective();
}

double LayerCheck::DifferenceAt(Tested* of, int64_t element, double h) {
  const double x = of->at[element];
  const auto above = static_cast<float>(x + h), below = static_cast<float>(x - h);
  return (ObjectiveAt(of, element, above) - ObjectiveAt(of, element, below)) /
         (double{above} - double{below});
}

// Returns how far J's slopes above and below the element differ.
double LayerCheck::KinkAt(Tested* of, int64_t element, double h) {
  const double x = of->at[element], here = ObjectiveAt(of, element, x);
  const double above = ObjectiveAt(of, element, x + h) - here;
  return std::abs(above - (here - ObjectiveAt(of, element, x - h))) / h;
}

// Returns the factor of a loss's gradient to that of its metric: time steps, loss_weight, and
// factors such as the half of kEuclideanLoss. It is the ratio that fits best, unless this has
// another sign than loss_weight: then the gradient points the wrong way, which the check must show.
double LayerCheck::LossFactor() {
  if (!node_.traits.originates_gradient || tested_.empty()) return 1;
  Tested& scores = tested_[0];
  const double h = 0.01 * RootMeanSquare(scores.at) + 1e-4;
  double products = 0, squares = 0;
  for (const int64_t i : SampledElements(scores.values->size())) {
    const double difference = DifferenceAt(&scores, i, h);
    products += difference * scores.gradient[i];
    squares += difference * difference;
  }
  const double weight = node_.conf.loss_weight();
  return products * weight > 0 && squares > 0 ? products / squares : std::copysign(1, weight);
}

TensorCheck LayerCheck::Check(Tested* of, double factor) {
  TensorCheck check{.tensor = of->name};
  const double typical = RootMeanSquare(of->gradient), h = StepFor(*of, typical);
  for (const int64_t i : SampledElements(of->values->size())) {
    const double difference = factor * DifferenceAt(of, i, h), gradient = of->gradient[i];
    const double scale = std::max({std::abs(difference), std::abs(gradient), typical, 1e-12});
    double wrong = std::abs(difference - gradient) / scale;
    if (std::isnan(wrong)) wrong = std::numeric_limits<double>::infinity();  // no number is worse
    // A kink between x - h and x + h turns the difference by at most its slopes' difference.
    if (wrong > TensorCheck::kTolerance &&
        std::abs(factor) * KinkAt(of, i, h) >= std::abs(difference - gradient)) {
      ++check.kinks;
      continue;
    }
    ++check.elements;
    if (wrong < check.worst) continue;
    check.worst = wrong, check.at = i;
    check.gradient = gradient, check.difference = difference;
  }
  ObjectiveAt(of, 0, of->at[0]);
  return check;
}

}  // namespace singa
