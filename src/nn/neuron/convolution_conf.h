// kConvolution and kDeconvolution share these functions: groups and bias of a convolution_conf,
// traits and work.
#pragma once

#include "nn/feature/window.h"
#include "nn/graph/bridge_layout.h"
#include "nn/neuron/convolution.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {

// Returns the wiring of a layer whose groups are computed apart, so that the workers of a group can
// divide them. `of_one`: how they can divide the units of one group.
inline Wiring WiringOfGroups(const LayerProto& conf, UnitCut of_one) {
  const int groups = conf.convolution_conf().group();
  if (groups <= 1) return {.row_wise = true, .unit_cut = of_one};
  return {.row_wise = true, .unit_cut = UnitCut::kEach, .unit_groups = groups};
}

// Returns the source's channels that the worker has: all of them unless the workers divide groups.
inline UnitSpan ChannelsOf(const LayerProto& conf, const Port& in) {
  const Shape& shape = in.data.shape();
  const int64_t count = ImageShape::Of(shape).c;
  // An image without a dimension of channels has one, which no worker divides.
  const bool divided =
      shape.dims() == 4 && conf.convolution_conf().group() > 1 && LayoutOf(conf).units > 1;
  return divided ? in.units : UnitSpan{0, count, count};
}

// Returns the number of the worker's groups. Throws ConfigError unless all groups have as many
// channels, and as many filters.
inline int64_t OwnGroups(const LayerProto& conf, int64_t channels, int64_t filters) {
  const int64_t groups = conf.convolution_conf().group();
  if (groups < 1) throw ConfigError("convolution_conf.group", StrCat("must be >= 1, is ", groups));
  if (channels % groups != 0 || filters % groups != 0)
    throw ConfigError("convolution_conf.group",
                      StrCat("must divide the ", channels, " channels of the source and the ",
                             filters, " filters, is ", groups));
  return groups == 1 ? 1 : groups / LayoutOf(conf).units;
}

// Returns whether the layer has a bias. Unless the conf says so, one param is the weight alone.
inline bool HasBias(const LayerProto& conf) {
  const ConvolutionProto& own = conf.convolution_conf();
  return own.has_bias_term() ? own.bias_term() : conf.param_size() != 1;
}

// Returns whether it has none only because the conf has one param.
inline bool LacksBias(const LayerProto& conf) {
  return !HasBias(conf) && !conf.convolution_conf().has_bias_term();
}

inline Traits TraitsOfFilters(bool lacks_bias) {
  return {.grad_reads_in = true, .on_device = true, .linear = true, .lacks_bias = lacks_bias};
}

// Returns the work of the convolution, which is also that of its transpose.
inline Work WorkOfFilters(const ConvolutionDesc& desc) {
  const double products =
      static_cast<double>(desc.out.size()) * static_cast<double>(desc.filter_size());
  return {2 * products, 2 * products, 2 * products};
}

}  // namespace singa
