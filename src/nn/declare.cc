#include "singa/nn/declare.h"

#include <glog/logging.h>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "base/text/element_path.h"
#include "singa/base/error.h"

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
  expected_.emplace(conf.name(), Expected{conf, layer, path});
}

Param* ParamTable::Find(const std::string& name) const {
  for (const auto& param : params_)
    if (param->name() == name) return param.get();
  return nullptr;
}

bool ParamTable::divided() const {
  for (const auto& param : params_)
    if (param->is_part()) return true;
  return false;
}

ParamTable ParamTable::Wholes() const {
  ParamTable wholes;
  for (const auto& param : params_) wholes.params_.push_back(param->Whole());
  wholes.expected_ = expected_;
  wholes.nets_ = nets_;
  return wholes;
}

Param* ParamTable::Get(const LayerProto& layer, const std::string& path, int index,
                       const Shape& shape, const float* value, const std::string& net,
                       const UnitSpan* own) {
  shape.Check();
  const int64_t first = own ? own->first : 0;
  const int64_t rows = own ? own->count : shape.dims() > 0 ? shape[0] : 0;
  const bool has_conf = index < layer.param_size();
  ParamProto conf = has_conf ? layer.param(index) : ParamProto();
  std::string name = NameOf(layer, index), owner_layer = layer.name();
  std::string owner_path = StrCat(path, ".param[", index, "]");
  CheckTensorName(name);
  const bool shares = !conf.share_from().empty(), named = !conf.name().empty();
  if (shares) {
    auto owner = expected_.find(conf.share_from());
    if (owner == expected_.end()) {
      std::vector<std::string> known;
      for (const auto& entry : expected_) known.push_back(entry.first);
      throw ConfigError("share_from", StrCat("no param \"", conf.share_from(), "\"",
                                             DidYouMean(conf.share_from(), known)));
    }
    if (!owner->second.conf.share_from().empty())
      throw ConfigError("share_from",
                        StrCat("param \"", conf.share_from(), "\" itself shares from \"",
                               owner->second.conf.share_from(), "\"; name that"));
    name = conf.share_from();
    owner_layer = owner->second.layer;
    owner_path = owner->second.path;
    conf = owner->second.conf;
  }
  if (value && !conf.has_init()) {
    conf.mutable_init()->set_type(kConstant);
    conf.mutable_init()->set_value(*value);
  }
  if (Param* known = Find(name)) {
    if (!shares) CheckSharing(*known, layer, named);
    if (!(known->whole_shape() == shape))
      throw ConfigError(shares ? "share_from" : "",
                        MisfitText(name, {known->layer(), known->whole_shape(), nets_[name]},
                                   {layer.name(), shape, net}));
    const int64_t known_rows = known->shape().dims() > 0 ? known->shape()[0] : 0;
    if (known->first_row() == first && known_rows == rows) return known;
    throw ConfigError(
        shares ? "share_from" : "",
        StrCat("layers \"", known->layer(), "\" and \"", layer.name(), "\" share the param \"",
               name, "\": both must have the same partition_dim"));
  }
  nets_[name] = net;
  params_.push_back(
      std::make_unique<Param>(name, owner_layer, owner_path, conf, shape, first, rows));
  return params_.back().get();
}

void Declare::Sources(Inputs in, int least, int most) {
  const int count = static_cast<int>(in.size());
  if (count >= least && count <= most) return;
  const std::string allowed =
      least == most ? Counted(least, "source") : StrCat("from ", least, " to ", most, " sources");
  throw ConfigError(ElementPath("srclayers", count > most ? most : 0),
                    StrCat("needs ", allowed, ", has ", count));
}

Param* Declare::Param(int index, const Shape& shape) { return Get(index, shape, nullptr, nullptr); }

Param* Declare::Param(int index, const Shape& shape, float value) {
  return Get(index, shape, &value, nullptr);
}

Param* Declare::Param(int index, const Shape& shape, const UnitSpan& own) {
  return Get(index, shape, nullptr, &own);
}

Param* Declare::Get(int index, const Shape& shape, const float* value, const UnitSpan* own) {
  try {
    params_.push_back(table_->Get(conf_, path_, index, shape, value, net_, own));
  } catch (const ConfigError& error) {
    throw error.Under(StrCat("param[", index, "]"));
  }
  given_.push_back(params_.back());
  return params_.back();
}

Tensor* Declare::Buffer(const Shape& shape, Keep keep, DType type, const std::string& name) {
  shape.Check();
  CHECK(keep != Keep::kForever || (type == DType::kF32 && !name.empty()))
      << "a checkpoint holds kForever buffers by name, as float32";
  singa::Buffer& buffer = buffers_.emplace_back();
  buffer.name = name;
  buffer.keep = keep;
  buffer.tensor.SetShape(shape, type);
  return &buffer.tensor;
}

Tensor* Declare::RowBuffer(const std::string& name, const Shape& shape, const RowSpan& span) {
  const bool alone = span.rows == span.batch;
  if (shape[0] != span.rows && !alone)
    throw ConfigError("srclayers", StrCat("the source gives ", shape[0], " rows for the worker's ",
                                          span.rows, " of the batch: must be as many"));
  Tensor* const tensor = Buffer(shape, Keep::kForever, DType::kF32, name);
  buffers_.back().span =
      alone ? RowSpan{0, shape[0], shape[0]} : RowSpan{span.first, span.rows, span.batch};
  return tensor;
}

Metric* Declare::Metric(const std::string& name) {
  singa::Metric& metric = metrics_.emplace_back();
  metric.name = name;
  metric.cell.SetShape({2}, DType::kF64);
  return &metric;
}

Metric* Declare::ExponentialMetric(const std::string& name) {
  singa::Metric* metric = Metric(name);
  metric->exponential = true;
  return metric;
}

}  // namespace singa
