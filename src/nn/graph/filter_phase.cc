#include <algorithm>
#include <map>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/element_path.h"
#include "nn/graph/graph.h"
#include "nn/graph/targets_hint.h"

namespace singa {

bool InPhase(const LayerProto& layer, Phase phase) {
  const auto has = [phase](const auto& list) {
    return std::find(list.begin(), list.end(), phase) != list.end();
  };
  return (layer.include_size() == 0 || has(layer.include())) && !has(layer.exclude());
}

namespace {

constexpr int kMaxPorts = 100000;    // limit of a layer's outputs and of its sources
constexpr size_t kMostGuesses = 20;  // limit of unknown names with a search for similar ones

// The layers of a phase by name, and the number of links so far that read each.
struct Names {
  const NetOfPhase* net;
  std::map<std::string, int> index;
  std::vector<int> readers;
};

// Returns the phases that have a layer of that name: "kTrain, kTest".
std::string PhasesOf(const std::string& name, const NetProto& net) {
  std::string phases;
  for (Phase phase : {kTrain, kVal, kTest}) {
    const auto& layers = net.layer();
    if (std::any_of(layers.begin(), layers.end(), [&](const LayerProto& layer) {
          return layer.name() == name && InPhase(layer, phase);
        }))
      phases += (phases.empty() ? "" : ", ") + Phase_Name(phase);
  }
  return phases;
}

// Resolves "name", or "name:K" for output K if no layer has the whole text as its name.
Link Resolve(const std::string& text, const Names& names, const Graph& graph, int slot,
             size_t errors_before) {
  Link link;
  auto it = names.index.find(text);
  const size_t colon = text.rfind(':');
  if (it == names.index.end() && colon != std::string::npos && colon + 1 < text.size() &&
      text.size() - colon < 8 &&
      text.find_first_not_of("0123456789", colon + 1) == std::string::npos) {
    it = names.index.find(text.substr(0, colon));
    link.output = std::stoi(text.substr(colon + 1));
    if (it != names.index.end() && link.output >= graph.layers[it->second].wiring.num_outputs)
      throw ConfigError(ElementPath("srclayers", slot),
                        StrCat("layer \"", it->first, "\" has ",
                               Counted(graph.layers[it->second].wiring.num_outputs, "output"),
                               ", counted from 0, is \"", text, "\"",
                               NoTargetsHint(graph.layers[it->second].conf)));
  }
  if (it == names.index.end()) {
    std::vector<std::string> known;
    for (const auto& entry : names.index) known.push_back(entry.first);
    throw ConfigError(ElementPath("srclayers", slot),
                      NoSuchLayer(*names.net, text, known, errors_before));
  }
  link.source = it->second;
  return link;
}

// Gives output k of a layer with several outputs to the k-th reader that names no output. All such
// readers get output 0 if the layer says so.
void AssignOutputs(const LayerProto& conf, Graph* graph, Names* names, GraphLayer* layer) {
  for (size_t slot = 0; slot < layer->in.size(); ++slot) {
    Link& link = layer->in[slot];
    const GraphLayer& source = graph->layers[link.source];
    const std::string& text = conf.srclayers(static_cast<int>(slot));
    if (source.wiring.num_outputs == 1 || source.wiring.outputs_are_steps ||
        source.wiring.outputs_by_name || text != source.conf.name())
      continue;
    link.output = names->readers[link.source]++;
    if (link.output >= source.wiring.num_outputs)
      throw ConfigError(
          ElementPath("srclayers", slot),
          StrCat("layer \"", source.conf.name(), "\" has ", source.wiring.num_outputs,
                 " outputs and more readers; name one as \"", source.conf.name(), ":0\""));
  }
}

void CheckLayerName(const std::string& name) {
  if (name.empty()) throw ConfigError("name", "must not be empty");
  if (name.find_first_of("@#") != std::string::npos)
    throw ConfigError("name", StrCat("must not contain '@' or '#', is \"", name, "\""));
}

void AddLayer(const LayerProto& conf, const std::string& path, Names* names, Graph* graph,
              ConfigErrors* errors) {
  GraphLayer layer;
  layer.conf = conf;
  layer.path = path;
  try {
    CheckLayerName(conf.name());
    if (names->index.count(conf.name()))
      throw ConfigError(
          "name", StrCat("another layer of this phase has the name \"", conf.name(), "\" too"));
    layer.wiring = MakeLayer(conf)->wiring(conf);
    if (layer.wiring.num_outputs > kMaxPorts)
      throw ConfigError(
          "", StrCat("must have at most ", kMaxPorts, " outputs, has ", layer.wiring.num_outputs));
    if (conf.srclayers_size() > kMaxPorts)
      throw ConfigError("srclayers",
                        StrCat("must be at most ", kMaxPorts, ", are ", conf.srclayers_size()));
  } catch (const ConfigError& error) {
    AddFault(error, &layer, errors);
  }
  names->index.emplace(conf.name(), static_cast<int>(graph->layers.size()));
  names->readers.push_back(0);
  graph->layers.push_back(std::move(layer));
}

}  // namespace

std::string NoSuchLayer(const NetOfPhase& net, const std::string& name,
                        const std::vector<std::string>& known, size_t errors_before) {
  const std::string text = StrCat("no layer \"", name, "\" in this phase");
  if (errors_before >= kMostGuesses) return text;
  const std::string others = PhasesOf(name, net.conf);
  if (others.empty()) return text + DidYouMean(name, known);
  return StrCat(text, ", ", Phase_Name(net.phase), ": it is in ", others,
                net.asker.empty() ? "" : StrCat("; ", net.asker, " asks for that phase"));
}

std::vector<std::string> LayerPaths(const std::vector<std::string>& names) {
  std::map<std::string, std::pair<int, int>> counts;  // by name: number of layers, number so far
  for (const std::string& name : names) ++counts[name].first;
  std::vector<std::string> paths;
  for (size_t i = 0; i < names.size(); ++i) {
    auto& [all, so_far] = counts[names[i]];
    if (names[i].empty())
      paths.push_back(StrCat("layer[", i, "]"));
    else if (all == 1)
      paths.push_back(StrCat("layer[", names[i], "]"));
    else
      paths.push_back(StrCat("layer[", names[i], "#", so_far++, "]"));
  }
  return paths;
}

std::vector<std::string> LayerPaths(const google::protobuf::RepeatedPtrField<LayerProto>& layers) {
  std::vector<std::string> names;
  for (const LayerProto& layer : layers) names.push_back(layer.name());
  return LayerPaths(names);
}

Graph FilterPhase(const NetOfPhase& net, ConfigErrors* errors) {
  Graph graph;
  Names names{&net, {}, {}};
  const std::vector<std::string> paths = LayerPaths(net.conf.layer());
  for (int i = 0; i < net.conf.layer_size(); ++i)
    if (InPhase(net.conf.layer(i), net.phase))
      AddLayer(net.conf.layer(i), paths[i], &names, &graph, errors);
  for (GraphLayer& layer : graph.layers) {
    if (layer.faulty) continue;
    try {
      for (int slot = 0; slot < layer.conf.srclayers_size(); ++slot) {
        Link link = Resolve(layer.conf.srclayers(slot), names, graph, slot, errors->size());
        link.feedback = slot < 32 && (layer.wiring.feedback_slots >> slot & 1);
        layer.in.push_back(link);
      }
      AssignOutputs(layer.conf, &graph, &names, &layer);
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
      layer.in.clear();
    }
  }
  return graph;
}

}  // namespace singa
