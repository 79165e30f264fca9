#include "driver/onnx/net_reads.h"

#include <algorithm>

#include "base/text/edit_distance.h"
#include "driver/onnx/layer_export.h"
#include "nn/graph/graph.h"
#include "singa/base/error.h"

namespace singa {

NetReads::NetReads(const Net& net) : net_(net) {
  for (const std::vector<Pieces>& sources : SourcesOf(net)) {
    std::vector<Pieces>& reads = reads_.emplace_back();
    for (const Pieces& pieces : sources) {
      reads.emplace_back();
      for (NetSource piece : pieces) {
        if (GivesSteps(node(piece.node))) piece = {piece.node, 0, piece.output, 1};
        AppendPiece(piece, &reads.back());
      }
    }
  }
}

std::vector<int> NetReads::NodesOf(const std::string& name) const {
  std::vector<int> found;
  for (size_t i = 0; i < net_.nodes().size(); ++i)
    if (net_.nodes()[i].name == name) found.push_back(static_cast<int>(i));
  std::sort(found.begin(), found.end(), [this](int a, int b) {
    return node(a).conf.unroll_index() < node(b).conf.unroll_index();
  });
  return found;
}

Wanted NetReads::OutputOf(const std::string& layer, int output) const {
  const std::vector<int> nodes = NodesOf(layer);
  Wanted wanted = {OnnxLayer::OutputName(node(nodes[0]), output), {}};
  for (int i : nodes) AppendPiece({i, output, 0, StepsOf(node(i))}, &wanted.pieces);
  return wanted;
}

std::vector<Wanted> NetReads::OutputsOf(const std::string& name) const {
  const std::vector<int> nodes = NodesOf(name);
  if (nodes.empty()) {
    std::vector<std::string> known;
    for (const NetNode& node : net_.nodes()) {
      const bool inserted = node.name.starts_with("split(");
      if (!inserted && std::find(known.begin(), known.end(), node.name) == known.end())
        known.push_back(node.name);
    }
    throw Error(kExitUsage, StrCat("-layer ", name, ": the test phase has no such layer",
                                   DidYouMeanOneOf(name, known)));
  }
  const Wiring& wiring = node(nodes[0]).wiring;
  if (wiring.is_input)
    throw Error(kExitUsage,
                StrCat("-layer ", name, ": is an input layer, with nothing to compute"));
  std::vector<Wanted> outputs;
  for (int k = 0; k < wiring.num_outputs; ++k) outputs.push_back(OutputOf(name, k));
  return outputs;
}

void NetReads::AddOrigin(const NetSource& piece, Pieces* pieces) const {
  if (!node(piece.node).traits.aliases_in) return AppendPiece(piece, pieces);
  int first = 0;  // step at which `part` begins
  for (const NetSource& part : Of(piece.node, 0)) {
    const int begin = std::max(piece.step, first),
              end = std::min(piece.step + piece.steps, first + part.steps);
    if (begin < end)
      AddOrigin({part.node, part.output, part.step + begin - first, end - begin}, pieces);
    first += part.steps;
  }
}

std::vector<Wanted> NetReads::OutputsOfLoss() const {
  std::vector<std::string> losses;
  for (const NetNode& loss : net_.nodes())
    if (loss.traits.originates_gradient && !loss.in_feedback &&
        std::find(losses.begin(), losses.end(), loss.name) == losses.end())
      losses.push_back(loss.name);
  if (losses.empty())
    throw Error(kExitUsage, "the test phase has no loss: name the layer to export by -layer");
  if (losses.size() > 1) {
    std::string names = losses[0];
    for (size_t i = 1; i < losses.size(); ++i) names += ", " + losses[i];
    throw Error(kExitUsage, StrCat("the test phase has several losses (", names,
                                   "): name the layer to export by -layer"));
  }
  const std::vector<int> nodes = NodesOf(losses[0]);
  Wanted scores;
  for (int i : nodes)
    for (const NetSource& piece : Of(i, 0)) AddOrigin(piece, &scores.pieces);
  const NetSource& first = scores.pieces[0];
  scores.name = OnnxLayer::OutputName(node(first.node), first.output);
  std::vector<Wanted> outputs = {scores};
  if (ScoresOf(node(nodes[0]).conf) != kUserLayer) outputs.push_back(OutputOf(losses[0], 0));
  return outputs;
}

}  // namespace singa
