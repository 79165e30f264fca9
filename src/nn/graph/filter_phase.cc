#include <algorithm>
#include <map>

#include "base/edit_distance.h"
#include "nn/graph/graph.h"

namespace singa {

bool InPhase(const LayerProto& layer, Phase phase) {
  const auto has = [phase](const auto& list) {
    return std::find(list.begin(), list.end(), phase) != list.end();
  };
  return (layer.include_size() == 0 || has(layer.include())) && !has(layer.exclude());
}

namespace {

// The layers of a phase by name, and how many links so far read each.
struct Names {
  std::map<std::string, int> index;
  std::vector<int> readers;
};

// "name", or "name:K" for output K where no layer has the whole text as its name.
Link Resolve(const std::string& text, const Names& names, const Graph& graph) {
  Link link;
  auto it = names.index.find(text);
  const size_t colon = text.rfind(':');
  if (it == names.index.end() && colon != std::string::npos && colon + 1 < text.size() &&
      text.size() - colon < 8 &&
      text.find_first_not_of("0123456789", colon + 1) == std::string::npos) {
    it = names.index.find(text.substr(0, colon));
    link.output = std::stoi(text.substr(colon + 1));
    if (it != names.index.end() && link.output >= graph.layers[it->second].wiring.num_outputs)
      throw ConfigError(
          "srclayers",
          StrCat("layer \"", it->first, "\" has ", graph.layers[it->second].wiring.num_outputs,
                 graph.layers[it->second].wiring.num_outputs == 1 ? " output" : " outputs",
                 ", counted from 0, is \"", text, "\""));
  }
  if (it == names.index.end()) {
    std::vector<std::string> known;
    for (const auto& entry : names.index) known.push_back(entry.first);
    throw ConfigError("srclayers",
                      StrCat("no layer \"", text, "\" in this phase", DidYouMean(text, known)));
  }
  link.source = it->second;
  return link;
}

// Output k of a layer with several goes to its k-th reader that names none.
void AssignOutputs(const LayerProto& conf, Graph* graph, Names* names, GraphLayer* layer) {
  for (size_t slot = 0; slot < layer->in.size(); ++slot) {
    Link& link = layer->in[slot];
    const GraphLayer& source = graph->layers[link.source];
    const std::string& text = conf.srclayers(static_cast<int>(slot));
    if (source.wiring.num_outputs == 1 || source.wiring.outputs_are_steps ||
        text != source.conf.name())
      continue;
    link.output = names->readers[link.source]++;
    if (link.output >= source.wiring.num_outputs)
      throw ConfigError(
          "srclayers",
          StrCat("layer \"", source.conf.name(), "\" has ", source.wiring.num_outputs,
                 " outputs and more readers; name one as \"", source.conf.name(), ":0\""));
  }
}

void CheckName(const std::string& name) {
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
    CheckName(conf.name());
    if (names->index.count(conf.name()))
      throw ConfigError(
          "name", StrCat("another layer of this phase has the name \"", conf.name(), "\" too"));
    layer.wiring = MakeLayer(conf)->wiring(conf);
  } catch (const ConfigError& error) {
    errors->push_back(error.Under(path));
    layer.faulty = true;
  }
  names->index.emplace(conf.name(), static_cast<int>(graph->layers.size()));
  names->readers.push_back(0);
  graph->layers.push_back(std::move(layer));
}

}  // namespace

std::string LayerPath(const NetProto& net, int index) {
  const std::string& name = net.layer(index).name();
  if (name.empty()) return StrCat("layer[", index, "]");
  int before = 0, same = 0;
  for (int i = 0; i < net.layer_size(); ++i) {
    if (net.layer(i).name() != name) continue;
    if (i < index) ++before;
    ++same;
  }
  return same == 1 ? StrCat("layer[", name, "]") : StrCat("layer[", name, "#", before, "]");
}

Graph FilterPhase(const NetProto& net, Phase phase, ConfigErrors* errors) {
  Graph graph;
  Names names;
  for (int i = 0; i < net.layer_size(); ++i)
    if (InPhase(net.layer(i), phase))
      AddLayer(net.layer(i), LayerPath(net, i), &names, &graph, errors);
  for (GraphLayer& layer : graph.layers) {
    if (layer.faulty) continue;
    try {
      for (int slot = 0; slot < layer.conf.srclayers_size(); ++slot) {
        Link link = Resolve(layer.conf.srclayers(slot), names, graph);
        link.feedback = layer.wiring.feedback_slots >> slot & 1;
        layer.in.push_back(link);
      }
      AssignOutputs(layer.conf, &graph, &names, &layer);
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
      layer.in.clear();
    }
  }
  return graph;
}

}  // namespace singa
