#include "driver/job/dot_graph.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "driver/job/block_name.h"
#include "nn/graph/bridge_layout.h"
#include "nn/plan/net_sources.h"

namespace singa {
namespace {

struct Kind {
  const char* name;
  const char* colour;
};
enum KindPlace : unsigned char {
  kInputKind,
  kWeightKind,
  kNeuronKind,
  kLossKind,
  kOutputKind,
  kJoinKind,
  kOwnKind
};
constexpr std::array<Kind, 7> kKinds = {{{"input", "#d5ecd0"},
                                         {"neuron with parameters", "#c9dff5"},
                                         {"neuron", "#eef2f7"},
                                         {"loss", "#f6cfcf"},
                                         {"output", "#fbdfc2"},
                                         {"connection", "#fdf2c4"},
                                         {"a layer of your own", "#e0d5f0"}}};

// LayerType's hundreds are categories.
KindPlace KindOf(const NetNode& node) {
  constexpr int kCategory = 100;
  if (node.conf.has_user_type()) return kOwnKind;
  switch (node.conf.type() / kCategory) {
    case 1:
      return kInputKind;
    case 2:
      return node.declared().params.empty() ? kNeuronKind : kWeightKind;
    case 3:
      return kLossKind;
    case 4:
      return kOutputKind;
    case 5:
      return kJoinKind;
    default:
      return kOwnKind;
  }
}

// Escapes quotes, backslashes and control characters for a DOT string.
std::string DotText(const std::string& text) {
  std::string escaped;
  for (const char c : ReplaceInvalidUtf8(text)) {
    if (c == '"' || c == '\\')
      escaped += {'\\', c};
    else
      escaped += std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
  }
  return escaped;
}

// Escapes text for a label in DOT's form of HTML.
std::string Html(const std::string& text) {
  const std::map<char, const char*> kEntities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string escaped;
  for (const char c : ReplaceInvalidUtf8(text)) {
    const auto entity = kEntities.find(c);
    if (entity != kEntities.end())
      escaped += entity->second;
    else
      escaped += std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
  }
  return escaped;
}

// Returns "25,557,032".
std::string WithCommas(int64_t number) {
  constexpr size_t kDigits = 3;
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > kDigits;) text.insert(at -= kDigits, ",");
  return text;
}

std::string ParametersText(int64_t count) {
  return WithCommas(count) + (count == 1 ? " parameter" : " parameters");
}

class Drawing {
 public:
  Drawing(const Net& net, bool all) : net_(net), all_(all), sources_(net.nodes().size()) {
    for (const auto& [source, target] : EdgesOf(net)) sources_[target].push_back(source);
    FindEdges();
    FindChains();
  }

  std::string Dot(const std::string& title) const {
    std::string dot = StrCat("digraph \"", DotText(title),
                             "\" {\n  graph [fontname=\"Helvetica\", labelloc=t, newrank=true, "
                             "nodesep=0.3, ranksep=0.3, label=<",
                             Caption(title),
                             ">];\n  node [fontname=\"Helvetica\", fontsize=11, shape=plain];\n"
                             "  edge [color=\"#555555\", arrowsize=0.7];\n");
    std::map<std::string, std::vector<int>> firsts;  // of the chains of each block
    for (const auto& [first, chain] : chains_) firsts[BlockOfNode(first)].push_back(first);
    for (const auto& [first, chain] : chains_) {
      const std::string& block = BlockOfNode(first);
      if (block.empty())
        dot += "  " + Box(first, chain);
      else if (firsts[block].front() == first)
        dot += Frame(block, firsts[block]);
    }
    for (const auto& [source, target] : edges_)
      if (chain_of_.at(source) != chain_of_.at(target) || source >= target)
        dot += StrCat("  n", chain_of_.at(source), " -> n", chain_of_.at(target), ";\n");
    return dot + "}\n";
  }

 private:
  const NetNode& NodeAt(int i) const { return net_.nodes()[i]; }

  // A bridge, or a layer that only hands its source's feature on.
  bool IsHidden(int i) const {
    return !all_ && (NodeAt(i).bridge || NodeAt(i).traits.aliases_in) && !sources_[i].empty();
  }

  // Adds the nodes that are drawn and whose feature comes to node `i`.
  void AddSources(int i, std::set<int>* seen, std::set<int>* found) const {
    for (const int source : sources_[i]) {
      if (!seen->insert(source).second) continue;
      if (IsHidden(source))
        AddSources(source, seen, found);
      else
        found->insert(source);
    }
  }

  void FindEdges() {
    for (int i = 0; i < std::ssize(sources_); ++i) {
      if (IsHidden(i)) continue;
      std::set<int> seen, found;
      AddSources(i, &seen, &found);
      for (const int source : found) edges_.emplace_back(source, i);
    }
  }

  // A layer that is the only reader of its only source stands in that layer's box.
  void FindChains() {
    std::map<int, int> readers, sources, source_of;
    for (const auto& [source, target] : edges_) {
      ++readers[source];
      ++sources[target];
      source_of[target] = source;
    }
    std::map<std::string, int> sizes;  // of blocks
    for (int i = 0; i < std::ssize(sources_); ++i)
      if (!IsHidden(i)) ++sizes[blocks_[i] = NameOfBlock(NodeAt(i))];
    for (auto& [i, block] : blocks_)
      if (sizes[block] < 2) block.clear();
    for (const auto& [i, block] : blocks_) {
      const int source = sources[i] == 1 ? source_of[i] : -1;
      const bool joins = source >= 0 && source < i && readers[source] == 1 &&
                         blocks_[source] == block && NodeAt(source).part == NodeAt(i).part;
      chain_of_[i] = joins ? chain_of_.at(source) : i;
      chains_[chain_of_[i]].push_back(i);
    }
  }

  // The layers of one time step, or of one worker, are blocks of their own.
  static std::string NameOfBlock(const NetNode& node) {
    const std::string block = BlockOf(node.name);
    const size_t at = node.full_name.find(node.name);
    if (block.empty() || at == std::string::npos) return block;
    return node.full_name.substr(0, at) + block + node.full_name.substr(at + node.name.size());
  }

  const std::string& BlockOfNode(int i) const { return blocks_.at(i); }

  // Returns the parameters of some nodes; several layers may share one.
  int64_t ParamsOf(const std::vector<int>& nodes) const {
    std::set<const Param*> params;
    for (const int i : nodes)
      params.insert(NodeAt(i).declared().params.begin(), NodeAt(i).declared().params.end());
    int64_t count = 0;
    for (const Param* param : params) count += param->size();
    return count;
  }

  std::string Row(int i) const {
    const NetNode& node = NodeAt(i);
    const auto cell = [&](const std::string& align, const std::string& text) {
      return StrCat("<td align=\"", align, "\" bgcolor=\"", kKinds[KindOf(node)].colour, "\">",
                    text, "</td>");
    };
    std::string shape = node.out[0]->data.shape().ToString();
    if (node.out.size() > 1) shape = StrCat(node.out.size(), " x ", shape);
    const int workers = node.conf.num_partitions();
    const Layout layout = LayoutOf(node.conf);
    if (!node.bridge && layout != LayoutByRows(workers)) shape += ", " + TextOf(layout, workers);
    std::string params;
    const int64_t count = ParamsOf({i});
    if (count > 0) params = WithCommas(count);
    if (all_)
      for (const Param* param : node.declared().params)
        params += "<br align=\"right\"/>" + Html(param->name()) + " " + param->shape().ToString();
    if (all_ && count > 0) params += "<br align=\"right\"/>";
    return "<tr>" + cell("left", "<b>" + Html(node.full_name) + "</b>") +
           cell("left", Html(TypeText(node.conf))) + cell("left", shape) + cell("right", params) +
           "</tr>";
  }

  std::string Box(int first, const std::vector<int>& chain) const {
    std::string dot = StrCat("n", first,
                             " [label=<<table border=\"1\" cellborder=\"0\" "
                             "cellspacing=\"0\" cellpadding=\"3\" color=\"",
                             WorkerColour(NodeAt(first).part), "\">");
    for (const int i : chain) dot += Row(i);
    return dot + "</table>>];\n";
  }

  // firsts: the first nodes of the block's chains.
  std::string Frame(const std::string& block, const std::vector<int>& firsts) const {
    std::string boxes;
    std::vector<int> all;
    for (const int first : firsts) {
      const std::vector<int>& chain = chains_.at(first);
      boxes += "    " + Box(first, chain);
      all.insert(all.end(), chain.begin(), chain.end());
    }
    std::string label = block;
    if (const int64_t params = ParamsOf(all)) label += ": " + ParametersText(params);
    return StrCat("  subgraph \"cluster_", DotText(block),
                  "\" {\n    style=\"rounded,filled\"; color=\"#b5b5b5\"; fillcolor=\"#fafafa\"; "
                  "fontsize=12; labeljust=l; label=\"",
                  DotText(label), "\";\n", boxes, "  }\n");
  }

  // The title, the size of the net, and the colours.
  std::string Caption(const std::string& title) const {
    std::vector<int> shown;
    std::set<KindPlace> kinds;
    for (const auto& [i, block] : blocks_) {
      shown.push_back(i);
      kinds.insert(KindOf(NodeAt(i)));
    }
    std::string cells;
    for (const KindPlace kind : kinds)
      cells += StrCat("<td bgcolor=\"", kKinds[kind].colour, "\">", kKinds[kind].name, "</td>");
    const std::string text =
        StrCat(Counted(shown.size(), "layer"), ", ", ParametersText(ParamsOf(shown)));
    const std::string name = title.empty() ? "" : "<b>" + Html(title) + "</b>: ";
    if (cells.empty()) return name + text;
    return StrCat("<table border=\"0\" cellborder=\"0\" cellspacing=\"4\"><tr><td colspan=\"",
                  kinds.size(), "\">", name, text, "</td></tr><tr>", cells, "</tr></table>");
  }

  const Net& net_;
  const bool all_;
  std::vector<std::vector<int>> sources_;
  std::vector<std::pair<int, int>> edges_;  // between drawn nodes: source, reader
  std::map<int, std::string> blocks_;       // of each drawn node; "": none
  std::map<int, int> chain_of_;             // first node of each drawn node's chain
  std::map<int, std::vector<int>> chains_;  // by their first node
};

}  // namespace

const char* WorkerColour(int worker) {
  constexpr std::array<const char*, 4> kColours = {"black", "red", "yellow", "blue"};
  return kColours[worker % kColours.size()];
}

std::string TypeText(const LayerProto& conf) {
  return conf.has_user_type() ? conf.user_type() : LayerType_Name(conf.type());
}

std::string GraphDot(const Net& net, const std::string& title, bool all) {
  return Drawing(net, all).Dot(title);
}

}  // namespace singa
