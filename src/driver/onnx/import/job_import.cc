#include "driver/onnx/import/job_import.h"

#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text/counted.h"
#include "driver/onnx/import/graph_import.h"
#include "driver/onnx/import/net_loss.h"
#include "driver/onnx/import/net_names.h"
#include "driver/onnx/import/text_of_job.h"
#include "io/checkpoint/json_text.h"
#include "io/format/guess_backend.h"
#include "io/format/synthetic_store.h"
#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kNoiseRecords = 96;

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

// Sets path and format of the user's records, and the file of their labels.
void SetStore(const ImportOptions& options, bool labels, StoreProto* conf) {
  conf->clear_synthetic_conf();
  conf->set_path(options.store);
  conf->set_backend(options.backend.empty() ? GuessBackend(options.store) : options.backend);
  if (!TraitsOf(conf->backend()).label_file) {
    if (options.label_path.empty()) return;
    throw Error(kExitUsage,
                StrCat("-labels is for records of idx; ", options.store, " is ", conf->backend()));
  }
  const std::string path =
      options.label_path.empty() ? GuessLabelPath(options.store) : options.label_path;
  if (!path.empty())
    conf->set_label_path(path);
  else if (labels)
    throw Error(kExitUsage, StrCat(options.store, " is ", conf->backend(),
                                   ": name its labels with -labels FILE"));
  else
    conf->set_has_label(false);
}

// `labels`: a loss reads the records' labels.
void SetRecords(const ImportOptions& options, bool labels, StoreProto* conf) {
  const bool own = conf->has_mean_value() || conf->has_std_value() ||
                   conf->channel_mean_size() > 0 || conf->channel_std_size() > 0;
  if (own && !(options.mean.empty() && options.std.empty()))
    throw Error(kExitUsage, "-mean and -std: the model prepares its input itself");
  const int64_t channels = conf->shape_size() == 2 ? 1 : conf->shape(0);
  SetPreparation("-mean", options.mean, channels, &StoreProto::set_mean_value,
                 conf->mutable_channel_mean(), conf);
  SetPreparation("-std", options.std, channels, &StoreProto::set_std_value,
                 conf->mutable_channel_std(), conf);
  conf->add_batchsize(kImportBatchSize);
  if (options.store.empty()) {
    conf->set_backend(kSyntheticBackend);
    conf->mutable_synthetic_conf()->set_records(kNoiseRecords);
    return;
  }
  SetStore(options, labels, conf);
}

// Transposes a constant that has a row for each of the param's `columns` columns.
std::vector<float> Turned(const std::vector<float>& numbers, int64_t columns) {
  const auto rows = std::ssize(numbers) / columns;
  std::vector<float> turned(numbers.size());
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < rows; ++j) turned[j * columns + i] = numbers[i * rows + j];
  return turned;
}

std::vector<float> ParamNumbers(const ImportedParam& param, TensorValues* tensors) {
  std::vector<const OnnxTensor*> constants = {param.tensor};
  constants.insert(constants.end(), param.behind.begin(), param.behind.end());
  std::vector<float> all;
  for (const OnnxTensor* tensor : constants) {
    std::vector<float> numbers = tensors->Floats(*tensor);
    if (param.transposed) numbers = Turned(numbers, param.dims[1]);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  const int64_t size = ProductOf(param.dims);
  CHECK_LE(std::max(param.first, param.added) + size, std::ssize(all));
  std::vector<float> values(all.begin() + param.first, all.begin() + param.first + size);
  for (int64_t i = 0; param.added >= 0 && i < size; ++i) values[i] += all[param.added + i];
  return values;
}

ImportedValues ValuesOf(const std::string& name, const ImportedParam& param,
                        const std::string& file, TensorValues* tensors) {
  ImportedValues values{.name = name, .shape = param.dims, .numbers = ParamNumbers(param, tensors)};
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
      const auto numbers = static_cast<double>(ProductOf(layer.params[i].dims));
      if (seen.insert(tensor).second)
        constants += static_cast<double>(tensor->size()) * sizeof(float);
      if (!layer.conf.param(static_cast<int>(i)).has_share_from()) all += numbers * sizeof(float);
    }
  if (all > kMostCopies * constants + kFree)
    throw DataError(
        file, -1,
        StrCat("its layers would have ", all / kMiB, " MiB of params, copies of ", constants / kMiB,
               " MiB of constants; at most ", kMostCopies, " copies are made"));
}

bool ReadsLabels(const ImportedNet& net) {
  return std::any_of(net.layers.begin(), net.layers.end(),
                     [](const ImportedLayer& layer) { return layer.conf.type() == kSoftmaxLoss; });
}

bool HasTimeSteps(const ImportedNet& net) {
  return std::any_of(net.layers.begin(), net.layers.end(),
                     [](const ImportedLayer& layer) { return layer.steps > 1; });
}

}  // namespace

ImportedJob ImportJob(const OnnxModel& model, const std::string& file, const ImportOptions& options,
                      TensorValues* tensors) {
  ImportedNet net = ImportNet(model, file, options.shape, tensors);
  if (options.loss.empty() && net.layers.size() == 1)
    throw DataError(file, -1, "has no node that becomes a layer; -loss none imports its input");
  ImportedJob imported;
  imported.guessed_loss = AddLoss(options.loss, &net);
  LayerProto& input = net.layers[0].conf;
  if (input.type() == kCharRNN)
    SetText(model, file, options, net.vocabulary, &imported.text, input.mutable_char_rnn_conf());
  else
    SetRecords(options, ReadsLabels(net), input.mutable_store_conf());
  NameLayers(&net.layers);
  RequireBoundedParams(net, file);
  imported.job.mutable_train_one_batch()->set_alg(HasTimeSteps(net) ? kBPTT : kBP);
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
