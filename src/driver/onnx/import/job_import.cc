#include "driver/onnx/import/job_import.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/counted.h"
#include "driver/onnx/import/graph_import.h"
#include "driver/onnx/import/net_loss.h"
#include "driver/onnx/import/net_names.h"
#include "io/checkpoint/json_text.h"
#include "io/format/synthetic_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kBatchSize = 32, kNoiseRecords = 96;

// Sets a number for all channels, or a list with one for each.
void SetPreparation(const std::string& flag, const std::vector<float>& values, int64_t channels,
                    void (StoreProto::*set)(float), google::protobuf::RepeatedField<float>* list,
                    StoreProto* conf) {
  if (values.empty()) return;
  if (values.size() == 1) return (conf->*set)(values[0]);
  if (std::ssize(values) != channels)
    throw Error(kExitUsage, StrCat(flag, ": has ", Counted(values.size(), "number"),
                                   "; the model's input has ", Counted(channels, "channel")));
  list->Add(values.begin(), values.end());
}

void SetInput(const ImportOptions& options, StoreProto* conf) {
  const bool own = conf->has_mean_value() || conf->has_std_value() ||
                   conf->channel_mean_size() > 0 || conf->channel_std_size() > 0;
  if (own && !(options.mean.empty() && options.std.empty()))
    throw Error(kExitUsage, "-mean and -std: the model prepares its input itself");
  const int64_t channels = conf->shape_size() == 2 ? 1 : conf->shape(0);
  SetPreparation("-mean", options.mean, channels, &StoreProto::set_mean_value,
                 conf->mutable_channel_mean(), conf);
  SetPreparation("-std", options.std, channels, &StoreProto::set_std_value,
                 conf->mutable_channel_std(), conf);
  conf->add_batchsize(kBatchSize);
  if (options.store.empty()) {
    conf->set_backend(kSyntheticBackend);
    conf->mutable_synthetic_conf()->set_records(kNoiseRecords);
    return;
  }
  conf->clear_synthetic_conf();
  conf->set_path(options.store);
  if (!options.backend.empty()) conf->set_backend(options.backend);
}

ImportedValues ValuesOf(const std::string& name, const ImportedParam& param,
                        const std::string& file, TensorValues* tensors) {
  ImportedValues values{
      .name = name, .shape = param.dims, .numbers = tensors->Floats(*param.tensor)};
  if (values.shape.size() != 2 && values.shape.size() != 4) values.shape = {ProductOf(param.dims)};
  const auto bad = std::count_if(values.numbers.begin(), values.numbers.end(),
                                 [](float x) { return !std::isfinite(x); });
  if (bad > 0)
    throw DataError(file, -1,
                    StrCat("tensor ", Quote(param.tensor->name), ": ", bad, " of its ",
                           Counted(values.numbers.size(), "number"), " are not finite"));
  return values;
}

// Refuses a model whose layers would have many copies of the same constants.
void RequireBoundedParams(const ImportedNet& net, const std::string& file) {
  constexpr double kMostCopies = 64, kFree = double{16 << 20}, kMiB = double{1 << 20};
  std::set<const OnnxTensor*> seen;
  double all = 0, constants = 0;  // bytes; a double takes any sum
  for (const ImportedLayer& layer : net.layers)
    for (size_t i = 0; i < layer.params.size(); ++i) {
      const OnnxTensor* const tensor = layer.params[i].tensor;
      const double bytes = static_cast<double>(tensor->size()) * sizeof(float);
      if (seen.insert(tensor).second) constants += bytes;
      if (!layer.conf.param(static_cast<int>(i)).has_share_from()) all += bytes;
    }
  if (all > kMostCopies * constants + kFree)
    throw DataError(
        file, -1,
        StrCat("its layers would have ", all / kMiB, " MiB of params, copies of ", constants / kMiB,
               " MiB of constants; at most ", kMostCopies, " copies are made"));
}

}  // namespace

ImportedJob ImportJob(const OnnxModel& model, const std::string& file, const ImportOptions& options,
                      TensorValues* tensors) {
  ImportedNet net = ImportNet(model, file, options.shape, tensors);
  ImportedJob imported;
  imported.guessed_loss = AddLoss(options.loss, &net);
  SetInput(options, net.layers[0].conf.mutable_store_conf());
  NameLayers(&net.layers);
  RequireBoundedParams(net, file);
  imported.job.mutable_train_one_batch()->set_alg(kBP);
  for (ImportedLayer& layer : net.layers) {
    for (size_t i = 0; i < layer.params.size(); ++i) {
      const ParamProto& param = layer.conf.param(static_cast<int>(i));
      if (!param.has_share_from())
        imported.params.push_back(ValuesOf(param.name(), layer.params[i], file, tensors));
    }
    *imported.job.mutable_neuralnet()->add_layer() = std::move(layer.conf);
  }
  return imported;
}

}  // namespace singa
