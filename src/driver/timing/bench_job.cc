#include "driver/timing/bench_job.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "io/format/synthetic_store.h"
#include "io/store/store.h"
#include "nn/graph/wiring_of.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void KeepTrainingAlone(JobProto* job) {
  job->clear_test_freq();
  job->clear_test_epochs();
  job->clear_test_steps();
  job->clear_validate_freq();
  auto* layers = job->mutable_neuralnet()->mutable_layer();
  layers->erase(std::remove_if(layers->begin(), layers->end(), WritesFile), layers->end());
}

Net TrainNet(const JobProto& job, ParamTable* params) {
  NetOptions options;
  options.phase = kTrain;
  options.gradients = true;
  return BuildNet(job.neuralnet(), options, params);
}

std::optional<ConfigError> MissingFile(const Net& net) {
  std::error_code ignored;
  for (const NetNode& node : net.nodes())
    for (const auto& [field, file] : node.declared().files)
      if (!std::filesystem::exists(file, ignored))
        return ConfigError(field, StrCat("there is no file \"", file, "\""), kExitNoInput)
            .Under("neuralnet." + node.path);
  return {};
}

// Returns the number of labels that all losses accept; the default if there is no loss.
int32_t Classes(const Net& net) {
  int64_t classes = std::numeric_limits<int32_t>::max();
  bool any = false;
  for (const NetNode& node : net.nodes()) {
    if (!node.traits.originates_gradient || node.in.size() < 2 || !node.in[1]->has_label())
      continue;
    classes = std::min(classes, node.in[0]->data.row_size());
    any = true;
  }
  return any ? static_cast<int32_t>(classes) : SyntheticProto().classes();
}

void MakeSynthetic(int32_t classes, JobProto* job) {
  constexpr float kMean = 127.5f, kDeviation = 73.9f;  // mean and deviation of uniform bytes
  constexpr float kRate = 1e-20f;                      // updates are tiny, but not denormal
  for (LayerProto& layer : *job->mutable_neuralnet()->mutable_layer()) {
    if (layer.has_rgbimage_conf()) layer.mutable_rgbimage_conf()->clear_meanfile();
    if (!layer.has_store_conf() || TraitsOf(layer.store_conf().backend()).no_file) continue;
    StoreProto& store = *layer.mutable_store_conf();
    store.set_backend(kSyntheticBackend);
    store.clear_encoded();
    store.mutable_synthetic_conf()->set_classes(classes);
    if (!store.mean_file().empty()) store.set_mean_value(kMean);
    if (!store.std_file().empty()) store.set_std_value(kDeviation);
    store.clear_mean_file();
    store.clear_std_file();
  }
  LRGenProto* rate = job->mutable_updater()->mutable_learning_rate();
  rate->Clear();
  rate->set_type(kFixed);
  rate->set_base_lr(kRate);
}

}  // namespace

JobProto BenchJob(const JobProto& job, bool synthetic, std::string* note) {
  JobProto bench = job;
  KeepTrainingAlone(&bench);
  ParamTable params;
  const Net net = TrainNet(bench, &params);
  const std::optional<ConfigError> missing = MissingFile(net);
  note->clear();
  if (!synthetic && !missing) return bench;
  *note = "noise in place of data";
  if (!synthetic) *note += StrCat(": ", missing->what());
  MakeSynthetic(Classes(net), &bench);
  ParamTable again;
  if (const auto still = MissingFile(TrainNet(bench, &again))) throw *still;
  return bench;
}

}  // namespace singa
