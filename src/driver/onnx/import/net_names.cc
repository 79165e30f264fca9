#include "driver/onnx/import/net_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::string_view kReplaced = "@#+:/{}\"'\\";

bool IsKept(char c) { return c >= ' ' && c <= '~' && kReplaced.find(c) == std::string_view::npos; }

class UsedNames {
 public:
  bool Has(const std::string& name) const { return used_.contains(name); }
  // Returns whether the name was unused.
  bool Take(const std::string& name) { return used_.insert(name).second; }
  // Takes `wish`, or that with a number behind it, and returns it.
  std::string Unused(const std::string& wish) {
    std::string name = wish;
    while (!Take(name)) name = StrCat(wish, "_", next_.try_emplace(wish, 2).first->second++);
    return name;
  }

 private:
  std::set<std::string> used_;
  std::map<std::string, int> next_;  // number behind each wish that was taken
};

// Returns the name that a layer of SINGA had in front of "#", or of ":0" if it has several outputs.
std::string OwnersName(const ImportedLayer& layer) {
  std::string name = layer.value.substr(0, layer.value.find('#'));
  if (layer.shapes.size() > 1 && name.ends_with(":0")) name.resize(name.size() - 2);
  return name;
}

std::string TypeText(const ImportedLayer& layer) {
  return LayerType_Name(layer.conf.type()).substr(1);  // without the k
}

void SetNames(std::vector<ImportedLayer>* layers) {
  UsedNames used;
  for (ImportedLayer& layer : *layers) {  // names that need no change come first
    const std::string name = OwnersName(layer);
    if (name == layer.value && CleanName(name, "") == name && used.Take(name))
      layer.conf.set_name(name);
  }
  for (ImportedLayer& layer : *layers) {
    if (layer.conf.has_name()) continue;
    std::string name = CleanName(OwnersName(layer), TypeText(layer));
    if (used.Has(name)) name = CleanName(layer.value, TypeText(layer));
    layer.conf.set_name(used.Unused(name));
  }
}

void SetSources(std::vector<ImportedLayer>* layers) {
  for (ImportedLayer& layer : *layers)
    for (const LayerOutput& source : layer.sources) {
      const ImportedLayer& from = (*layers)[source.layer];
      const bool first_of_input = source.output == 0 && from.sources.empty();  // data, not targets
      layer.conf.add_srclayers(from.shapes.size() == 1 || first_of_input
                                   ? from.conf.name()
                                   : StrCat(from.conf.name(), ":", source.output));
    }
}

// Sets the time steps of each layer, and which step of its sources it reads.
void SetTimeSteps(std::vector<ImportedLayer>* layers) {
  for (ImportedLayer& layer : *layers) {
    const bool gives_steps = layer.sources.empty() || layer.conf.type() == kTimeSteps;
    if (layer.steps > 1 && !gives_steps) layer.conf.set_unroll_len(layer.steps);
    for (size_t i = 0; i < layer.sources.size(); ++i) {
      const LayerOutput& source = layer.sources[i];
      const bool one = layer.steps > 1 && (*layers)[source.layer].steps == 1;
      if (!source.last && !(one && !gives_steps)) continue;
      while (layer.conf.unroll_conn_type_size() < static_cast<int>(i))
        layer.conf.add_unroll_conn_type(kUnrollOneToOne);
      layer.conf.add_unroll_conn_type(kUnrollFirstToLast);
    }
  }
}

// Names params. Two layers share all their params that are the same constants if the first, a
// matrix or filters, is one. Equal vectors alone are no reason: programs store equal ones once.
class ParamNames {
 public:
  void Name(ImportedLayer* layer) {
    const ImportedLayer* const owner = OwnerOf(*layer);
    for (size_t i = 0; i < layer->params.size(); ++i) {
      const ImportedParam& values = layer->params[i];
      const std::string& wish = values.tensor->name;
      ParamProto* const param = layer->conf.add_param();
      const std::string own = StrCat(layer->conf.name(), "_", i);
      if (owner && i < owner->params.size() && owner->params[i] == values) {
        const ParamProto& shared = owner->conf.param(static_cast<int>(i));
        param->set_name(used_.Unused(own));
        param->set_share_from(shared.has_share_from() ? shared.share_from() : shared.name());
        continue;
      }
      const bool most = values.behind.empty() && values.first == 0 &&
                        ProductOf(values.dims) > values.tensor->size() / 2;
      const bool plain = most && !wish.empty() && CleanName(wish, "") == wish &&
                         wish != "__metadata__" && !used_.Has(wish);
      param->set_name(used_.Unused(plain ? wish : own));
    }
  }

 private:
  const ImportedLayer* OwnerOf(const ImportedLayer& layer) {
    if (layer.params.empty() || layer.params[0].dims.size() < 2) return nullptr;
    const auto [owner, added] =
        owners_.emplace(std::pair(layer.params[0].tensor, layer.conf.type()), &layer);
    return added || owner->second->params[0].dims != layer.params[0].dims ? nullptr : owner->second;
  }

  UsedNames used_;
  std::map<std::pair<const OnnxTensor*, LayerType>, const ImportedLayer*> owners_;
};

}  // namespace

std::string CleanName(const std::string& value, const std::string& other) {
  constexpr std::string_view kTorchEnd = "_output_0";
  std::string_view kept = value;
  while (kept.starts_with('/')) kept.remove_prefix(1);
  if (kept.size() < value.size() && kept.ends_with(kTorchEnd)) kept.remove_suffix(kTorchEnd.size());
  std::string name;
  for (char c : kept.substr(0, 200)) name += c == '/' ? '.' : IsKept(c) ? c : '_';
  return name.find_first_not_of("_. ") == std::string::npos ? other : name;
}

void NameLayers(std::vector<ImportedLayer>* layers) {
  SetNames(layers);
  SetSources(layers);
  SetTimeSteps(layers);
  ParamNames params;
  for (ImportedLayer& layer : *layers) params.Name(&layer);
}

}  // namespace singa
