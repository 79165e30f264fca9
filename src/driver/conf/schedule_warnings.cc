// Warns about phases that a training does not run, and about learning rates.
#include <algorithm>

#include "base/text/counted.h"
#include "cluster/protocol/topology.h"
#include "driver/conf/net_warnings.h"
#include "nn/graph/wiring_of.h"
#include "singa/train/learning_rate.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

// Returns the path of the first layer that only this phase has; "": none, or the phase writes a
// file, for `-test`. A user's layer may be for another program and does not count.
std::string LayerOfPhaseAlone(const NetProto& net, Phase phase) {
  const std::vector<std::string> paths = LayerPaths(net.layer());
  std::string first;
  for (int i = 0; i < net.layer_size(); ++i) {
    bool alone = InPhase(net.layer(i), phase);
    for (Phase other : {kTrain, kVal, kTest})
      alone = alone && (other == phase || !InPhase(net.layer(i), other));
    if (alone && WritesFile(net.layer(i))) return "";
    if (alone && first.empty() && !net.layer(i).has_user_type())
      first = paths[i] + (net.layer(i).include_size() > 0 ? ".include" : ".exclude");
  }
  return first;
}

void WarnOfPhase(const JobProto& job, Phase phase, const std::string& text, ConfigErrors* out) {
  if (RunsPhase(job, phase)) return;
  const std::string path = LayerOfPhaseAlone(job.neuralnet(), phase);
  if (!path.empty()) out->push_back(ConfigError("neuralnet." + path, text));
}

void WarnOfRate(const JobProto& job, ConfigErrors* out) {
  constexpr int64_t kFewSteps = 100;
  constexpr double kNothing = 1e-6;
  const int64_t steps = job.train_steps();
  const LRGenProto& conf = job.updater().learning_rate();
  if (steps < kFewSteps || !job.updater().has_learning_rate()) return;
  if (conf.unit() == LRGenProto::kEpochs) return;  // how long they are is not known yet
  std::unique_ptr<LearningRate> rate;
  try {
    rate = MakeLearningRate(conf);
  } catch (const ConfigError&) {
    return;  // the check of values reports it
  }
  double most = 0;
  for (int64_t k = 0; k <= kFewSteps; ++k)
    most = std::max<double>(most, rate->At((steps - 1) * k / kFewSteps));
  const auto is_nothing = [&](int64_t step) { return rate->At(step) <= kNothing * most; };
  int64_t end = kFewSteps + 1;  // step from which the rate is tiny, in hundredths of the training
  while (end > 0 && is_nothing((steps - 1) * (end - 1) / kFewSteps)) --end;
  if (most == 0 || end > kFewSteps / 2) return;
  const int64_t step = (steps - 1) * end / kFewSteps;
  const std::string value =
      rate->At(step) == 0 ? "0" : StrCat(static_cast<float>(kNothing * most), " or less");
  out->push_back(ConfigError("updater.learning_rate",
                             StrCat("is ", value, " from about step ", step,
                                    " on: the rest of the ", steps, " steps trains nothing")));
}

// Warns if the training, whose length the conf gives in the unit of the rate, ends within the
// warm-up.
void WarnOfWarmUp(const JobProto& job, ConfigErrors* out) {
  const LRGenProto& rate = job.updater().learning_rate();
  const bool epochs = rate.unit() == LRGenProto::kEpochs;
  const int64_t length = epochs ? job.train_epochs() : job.train_steps();
  if (length > 0 && rate.warmup_steps() > length)
    out->push_back(
        ConfigError("updater.learning_rate.warmup_steps",
                    StrCat("is more than the ", Counted(length, epochs ? "epoch" : "step"),
                           " of the training: the rate never reaches that of the schedule")));
}

// Warns of an early stop if the training ends before its first validation, or its first test in a
// job without validations.
void WarnOfPatience(const JobProto& job, ConfigErrors* out) {
  const int64_t steps = job.train_steps();
  const bool validates = RunsPhase(job, kVal);
  const int64_t freq = validates ? job.validate_freq() : job.test_freq();
  const int64_t after = validates ? job.validate_after() : job.test_after();
  const int64_t first = after > 0 ? after : freq;
  if (job.stop_patience() > 0 && freq > 0 && steps > 0 && first > steps)
    out->push_back(ConfigError(
        "stop_patience",
        StrCat("has no effect: the training ends after ", Counted(steps, "step"),
               ", before the first ", validates ? "validation (validate_" : "test (test_",
               after > 0 ? "after" : "freq", ": ", first, ")")));
}

// Warns of an early stop that counts evaluations of one and the same model: in rounds of local
// steps the model changes when a round ends.
void WarnOfPatienceInRounds(const JobProto& job, ConfigErrors* out) {
  const ClusterProto& cluster = job.cluster();
  const bool validates = RunsPhase(job, kVal);
  const int64_t freq = validates ? job.validate_freq() : job.test_freq();
  const int64_t changes = cluster.sync_freq() / std::max(1, cluster.outer_fragments());
  if (job.stop_patience() > 0 && freq > 0 && InRounds(cluster) && freq < changes)
    out->push_back(ConfigError(
        "stop_patience",
        StrCat("may end the training too early: with group_sync: kOuter the model changes every ",
               changes, " steps, and each ", validates ? "validation (validate" : "test (test",
               "_freq: ", freq, ") in between counts as one that is not better")));
}

// Returns whether the layer could not be set up and its second source has another number of labels
// than the first has rows.
bool LabelsMisfit(const NetNode& node) {
  if (node.out.empty() || node.out[0]->data.shape().dims() > 0 || node.in.size() < 2) return false;
  const Shape& rows = node.in[0]->data.shape();
  return node.in[1]->has_label() && rows.dims() > 0 && node.in[1]->label.rows() != rows[0];
}

}  // namespace

std::string AskerOf(const JobProto& job, Phase phase) {
  if (phase == kVal && job.validate_freq() > 0) return "validate_freq";
  if (phase != kTest) return "";
  if (job.test_freq() > 0) return "test_freq";
  if (job.test_epochs() > 0) return "test_epochs";
  return job.test_steps() > 0 ? "test_steps" : "";
}

ConfigErrors ConcateHints(const NetProto& conf, const Net& net) {
  ConfigErrors hints;
  if (std::none_of(net.nodes().begin(), net.nodes().end(), LabelsMisfit)) return hints;
  const std::vector<std::string> paths = LayerPaths(conf.layer());
  for (int i = 0; i < conf.layer_size(); ++i) {
    const LayerProto& layer = conf.layer(i);
    if (!InPhase(layer, net.phase()) || layer.has_user_type()) continue;
    if (WiringOf(layer).joins_rows && !layer.concate_conf().has_concate_dim())
      hints.push_back(ConfigError("neuralnet." + paths[i],
                                  "joins rows, as concate_dim is not set and then 0; set "
                                  "concate_conf { concate_dim: 1 } to join features"));
  }
  return hints;
}

ConfigErrors ScheduleWarnings(const JobProto& job) {
  ConfigErrors warnings;
  WarnOfPhase(
      job, kTest,
      "training runs no test without test_freq, test_epochs or test_steps; `-test` runs one",
      &warnings);
  WarnOfPhase(job, kVal, "training runs no validation without validate_freq", &warnings);
  WarnOfRate(job, &warnings);
  WarnOfWarmUp(job, &warnings);
  WarnOfPatience(job, &warnings);
  WarnOfPatienceInRounds(job, &warnings);
  return warnings;
}

}  // namespace singa
