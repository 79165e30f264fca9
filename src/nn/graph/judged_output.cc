#include "nn/graph/judged_output.h"

#include <optional>
#include <utility>

#include "base/text/counted.h"
#include "nn/graph/graph.h"
#include "singa/base/error.h"
#include "singa/base/part_of.h"

namespace singa {
namespace {

// The first target, and the number of them.
using TargetRange = std::pair<int64_t, int64_t>;

bool IsTargetsOf(const Graph& graph, const Link& link, const OutputLayer& output) {
  return graph.layers[link.source].conf.name() == output.input && link.output == 1;
}

// Returns which of the input layer's targets a link reads, directly or by a kSlice.
std::optional<TargetRange> TargetsOfLink(const Graph& graph, const Link& link,
                                         const OutputLayer& output) {
  if (IsTargetsOf(graph, link, output)) return TargetRange(0, output.input_targets);
  const GraphLayer& slice = graph.layers[link.source];
  const SliceProto& conf = slice.conf.slice_conf();
  if (!IsOfType(slice, kSlice) || conf.slice_dim() != 1 || slice.in.size() != 1) return {};
  if (!IsTargetsOf(graph, slice.in[0], output)) return {};
  return PartOf(output.input_targets, link.output, conf.num_slices());
}

JudgedOutput JudgedByTargets(const Graph& graph, const GraphLayer& loss, const OutputLayer& output,
                             JudgedOutput::Kind kind) {
  if (output.steps > 1)
    throw ConfigError("",
                      StrCat("layer \"", output.name, "\" has ", Counted(output.steps, "time step"),
                             ", and a record has targets for one"));
  std::optional<TargetRange> range;
  if (loss.in.size() > 1) range = TargetsOfLink(graph, loss.in[1], output);
  if (!range || range->second != output.size)
    throw ConfigError("", StrCat("loss \"", loss.conf.name(), "\" compares with layer \"",
                                 loss.conf.srclayers_size() > 1 ? loss.conf.srclayers(1) : "",
                                 "\"; needed are the targets of the records, \"", output.input,
                                 ":1\", or a kSlice of them"));
  return {.kind = kind, .targets = output.input_targets, .first_target = range->first};
}

}  // namespace

JudgedOutput FindJudged(const NetProto& net, const OutputLayer& output) {
  ConfigErrors errors;
  const Graph graph = FilterPhase({net, kTest, ""}, &errors);
  if (!errors.empty()) throw errors.front();
  for (const GraphLayer& layer : graph.layers) {
    if (layer.conf.name() != output.name) continue;
    if (IsOfType(layer, kSoftmax) || IsOfType(layer, kCudnnSoftmax)) return {};
    if (ScoresOf(layer.conf) == kSoftmax) return {};
    if (ScoresOf(layer.conf) == kSigmoid)
      return JudgedByTargets(graph, layer, output, JudgedOutput::kLabels);
  }
  for (const GraphLayer& reader : graph.layers) {
    if (reader.in.empty() || graph.layers[reader.in[0].source].conf.name() != output.name) continue;
    if (ScoresOf(reader.conf) != kUserLayer)
      throw ConfigError(
          "", StrCat("layer \"", output.name,
                     "\" gives scores; for their probabilities give -layer ", reader.conf.name()));
    if (IsOfType(reader, kEuclideanLoss))
      return JudgedByTargets(graph, reader, output, JudgedOutput::kNumbers);
  }
  throw ConfigError("", StrCat("no loss compares layer \"", output.name,
                               "\" with labels or targets, as kSoftmaxLoss, "
                               "kSigmoidCrossEntropyLoss and kEuclideanLoss do"));
}

}  // namespace singa
