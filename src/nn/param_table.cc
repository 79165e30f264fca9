#include "singa/nn/param_table.h"

#include <algorithm>
#include <utility>

#include "base/text/edit_distance.h"
#include "base/text/name_pattern.h"
#include "nn/graph/bridge_layout.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

std::string NameOf(const LayerProto& layer, int index) {
  if (index < layer.param_size() && !layer.param(index).name().empty())
    return layer.param(index).name();
  return StrCat(layer.name(), "_", index);
}

// Throws if a checkpoint cannot store the name, or uses it for its own state.
void CheckTensorName(const std::string& name) {
  for (const char* taken : {"updater/", "buffer/", "reader/", "metric/", "train/", "0#"})
    if (name.starts_with(taken))
      throw ConfigError("name", StrCat("must not begin with \"", taken,
                                       "\", as checkpoints do, is \"", name, "\""));
  if (name == "__metadata__")
    throw ConfigError("name", "must not be \"__metadata__\", which safetensors reserve");
}

// Throws if another layer's param has the name and one of the two names is a default: a default
// name does not mean sharing.
void CheckSharing(const Param& known, const LayerProto& layer, bool named) {
  const bool both_named = named && !known.conf().name().empty();
  if (both_named || known.layer() == layer.name()) return;
  throw ConfigError("name", StrCat("a param of layer \"", known.layer(), "\" has the name \"",
                                   known.name(), "\" too; to share its values, use share_from"));
}

// Returns Param::contributors of a param of the layer. `units`: it has rows for the layer's units.
int ContributorsOf(const LayerProto& layer, bool units) {
  const int workers = std::max(1, layer.num_partitions());
  const Layout layout = LayoutOf(layer);
  if (workers > 1 && layout == kWholeLayout) return 1;
  return units && layout.units > 1 ? layout.rows : 0;
}

// Gives `param` the default `init`, if its conf has no init. The default of its own layer counts: a
// layer that shares the param may come first and have another. `path`: what asks for the param.
void ApplyDefault(const std::string& path, const ParamGenProto& init, Param* param) {
  if (!init.has_type() && !init.has_user_type()) return;
  if (!param->conf().has_init() && param->path() == path) param->SetInit(init);
}

// Sets the factors of the last of `scales` that has them for `name`. Those of `conf` itself stay.
void ApplyScales(const std::vector<ParamScaleProto>& scales, const std::string& name,
                 ParamProto* conf) {
  const bool own_rate = conf->has_lr_scale(), own_decay = conf->has_wd_scale();
  for (const ParamScaleProto& scale : scales) {
    if (!MatchesPattern(scale.names(), name)) continue;
    if (scale.has_lr_scale() && !own_rate) conf->set_lr_scale(scale.lr_scale());
    if (scale.has_wd_scale() && !own_decay) conf->set_wd_scale(scale.wd_scale());
  }
}

struct ParamUse {
  const std::string& layer;
  const Shape& shape;
  const std::string& net;
};

std::string MisfitText(const std::string& param, const ParamUse& first, const ParamUse& now) {
  const bool one_net = first.net == now.net;
  return StrCat("param \"", param, "\" of layer \"", first.layer, "\" has the shape ",
                first.shape.ToString(), one_net ? "" : " in " + first.net, "; layer \"", now.layer,
                "\" needs ", now.shape.ToString(), one_net ? " here" : " in " + now.net);
}

}  // namespace

void ParamTable::Expect(const ParamProto& conf, const std::string& layer, const std::string& path) {
  expected_.emplace(conf.name(), Expected{conf.name(), conf, layer, path});
}

Param* ParamTable::Find(const std::string& name) const {
  for (const auto& param : params_)
    if (param->name() == name) return param.get();
  return nullptr;
}

bool ParamTable::divided() const {
  for (const auto& param : params_)
    if (param->is_part() || param->contributors() > 0) return true;
  return false;
}

ParamTable ParamTable::Wholes() const {
  ParamTable wholes;
  for (const auto& param : params_) wholes.params_.push_back(param->Whole());
  wholes.expected_ = expected_;
  wholes.scales_ = scales_;
  wholes.nets_ = nets_;
  return wholes;
}

// Returns the param of `layer` as its conf describes it: under its own name and `path`, or the one
// that it shares.
ParamTable::Expected ParamTable::Described(const LayerProto& layer, const std::string& path,
                                           int index) const {
  ParamProto conf = index < layer.param_size() ? layer.param(index) : ParamProto();
  const std::string name = NameOf(layer, index), shared = conf.share_from();
  CheckTensorName(name);
  if (shared.empty()) return {name, std::move(conf), layer.name(), path};
  const auto owner = expected_.find(shared);
  if (owner == expected_.end()) {
    // A param without a block in the conf has its default name, and is known once it was made.
    if (const Param* made = Find(shared))
      return {made->name(), made->conf(), made->layer(), made->path()};
    std::vector<std::string> known;
    for (const auto& entry : expected_) known.push_back(entry.first);
    for (const auto& param : params_)
      if (!expected_.contains(param->name())) known.push_back(param->name());
    throw ConfigError("share_from", StrCat("no param \"", shared, "\"", DidYouMean(shared, known)));
  }
  if (!owner->second.conf.share_from().empty())
    throw ConfigError("share_from", StrCat("param \"", shared, "\" itself shares from \"",
                                           owner->second.conf.share_from(), "\"; name that"));
  return owner->second;
}

Param* ParamTable::Get(const LayerProto& layer, const std::string& path, int index,
                       const Shape& shape, const ParamGenProto& init, const std::string& net,
                       const UnitSpan* own) {
  shape.Check();
  const int64_t first = own ? own->first : 0;
  const int64_t rows = own ? own->count : shape.dims() > 0 ? shape[0] : 0;
  const int contributors = ContributorsOf(layer, own != nullptr);
  const std::string own_path = StrCat(path, ".param[", index, "]");
  Expected param = Described(layer, own_path, index);
  if (Param* known = Find(param.name)) {
    const ParamProto conf = index < layer.param_size() ? layer.param(index) : ParamProto();
    const bool shares = !conf.share_from().empty();
    const std::string field = shares ? "share_from" : "";
    if (!shares) CheckSharing(*known, layer, !conf.name().empty());
    if (!(known->whole_shape() == shape))
      throw ConfigError(
          field, MisfitText(param.name, {known->layer(), known->whole_shape(), nets_[param.name]},
                            {layer.name(), shape, net}));
    const int64_t known_rows = known->shape().dims() > 0 ? known->shape()[0] : 0;
    if (known->first_row() == first && known_rows == rows &&
        known->contributors() == contributors) {
      ApplyDefault(own_path, init, known);
      return known;
    }
    throw ConfigError(
        field,
        StrCat("layers \"", known->layer(), "\" and \"", layer.name(), "\" share the param \"",
               param.name, "\": both must have the same partition_dim and partition_grid"));
  }
  nets_[param.name] = net;
  ApplyScales(scales_, param.name, &param.conf);
  params_.push_back(std::make_unique<Param>(param.name, param.layer, param.path, param.conf, shape,
                                            first, rows, contributors));
  ApplyDefault(own_path, init, params_.back().get());
  return params_.back().get();
}

}  // namespace singa
