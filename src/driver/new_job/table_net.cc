#include "driver/new_job/table_net.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "driver/new_job/job_lines.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int kHidden = 64;  // units

// Returns a fully connected layer.
std::string Connected(const std::string& name, const std::string& source, int64_t units) {
  return StrCat("  layer { name: \"", name, "\" type: kInnerProduct srclayers: \"", source,
                "\" innerproduct_conf { num_output: ", units, " } }\n");
}

// Returns the layers of one net without its loss. `number` ends the names of its layers.
std::string Perceptron(const std::string& number, int64_t outputs) {
  return StrCat(Connected("hidden" + number, "data", kHidden), "  layer { name: \"relu", number,
                "\" type: kReLU srclayers: \"hidden", number, "\" }\n",
                Connected("fc" + number, "relu" + number, outputs));
}

// Returns the deviation by which a target is scaled. Equal targets have none.
double ScaleOf(const NumberStatistics& target) {
  constexpr double kLeast = 1e-15, kMost = 1e15;  // so that its square is a float
  const bool differ = target.std > std::abs(target.mean) * std::numeric_limits<float>::epsilon();
  return differ ? std::clamp(target.std, kLeast, kMost) : 1;
}

// Returns the layer that turns an output of mean 0 and deviation 1 into the target's own unit.
std::string UnitLayer(const std::string& number, const NumberStatistics& target) {
  const auto param = [&](const char* name, double value) {
    return StrCat("    param { name: \"", name, number,
                  "\" lr_scale: 0 init { type: kConstant value: ", ConfNumber(value), " } }\n");
  };
  return StrCat("  layer {\n    name: \"units", number, "\" type: kInnerProduct srclayers: \"fc",
                number, "\" innerproduct_conf { num_output: 1 }\n",
                param("deviation", ScaleOf(target)), param("mean", target.mean), "  }\n");
}

}  // namespace

std::string ClassLayers(int64_t classes) {
  return StrCat(Perceptron("", classes),
                "  layer { name: \"loss\" type: kSoftmaxLoss srclayers: \"fc\" srclayers: \"data\" "
                "}\n");
}

std::string TargetLayers(std::span<const NumberStatistics> targets) {
  std::string text =
      "  # fc learns targets of mean 0 and deviation 1. The layer units multiplies by the "
      "deviation\n"
      "  # and adds the mean, which stay as they are. Predictions are in the unit of the table.\n";
  if (targets.size() > 1) text += "  # Each target has layers of its own.\n";
  std::string outputs;  // of all targets
  double least = ScaleOf(targets[0]);
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::string number = targets.size() == 1 ? "" : StrCat(i + 1);
    text += Perceptron(number, 1) + UnitLayer(number, targets[i]);
    outputs += StrCat(" srclayers: \"units", number, "\"");
    least = std::min(least, ScaleOf(targets[i]));
  }
  if (targets.size() > 1) {
    text += StrCat("  layer {\n    name: \"outputs\" type: kConcate", outputs,
                   "\n    concate_conf { concate_dim: 1 }\n  }\n");
    outputs = " srclayers: \"outputs\"";
  }
  return StrCat(
      text, "  layer {\n    name: \"loss\" type: kEuclideanLoss", outputs,
      " srclayers: \"data:1\" euclidean_loss_conf { r2: true }\n",
      "    # 1 / deviation^2, so that the loss does not depend on the unit.\n    loss_weight: ",
      ConfNumber(1 / (least * least)), "\n  }\n");
}

}  // namespace singa
