#include "driver/conf/check_job.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "driver/conf/check_gpus.h"
#include "driver/conf/check_params.h"
#include "driver/conf/check_units.h"
#include "driver/conf/job_stores.h"
#include "driver/conf/net_warnings.h"
#include "driver/facts/compare_facts.h"
#include "driver/facts/conf_findings.h"
#include "nn/graph/wiring_of.h"
#include "nn/plan/net_builder.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

void AddTo(JobConf* conf, const ConfFindings& found) {
  for (const ConfigError& error : found.errors) conf->Add(error);
  for (const ConfigError& warning : found.warnings) conf->Add(warning, Diagnostic::kWarning);
}

// Builds the nets of the phases that the job may run.
class NetCheck {
 public:
  NetCheck(const JobProto& job, const CheckOptions& options, JobConf* conf)
      : job_(job), options_(options), conf_(conf) {}

  void Run() {
    const bool trains = Trains(job_, options_.use);
    ParamTable started, others;  // params of the nets that the job starts; of other nets
    const auto table = [&](bool starts) { return starts ? &started : &(others = ParamTable()); };
    if (trains) Check(kTrain, true, &started);
    const bool tests = !trains || RunsPhase(job_, kTest);
    Check(kTest, tests, table(tests));
    const bool validates = RunsPhase(job_, kVal);
    Check(kVal, validates, table(trains && validates));
    if (trains) Warn(ScheduleWarnings(job_));
    if (trains && nets_are_sound_) Warn(ScaleWarnings(job_.neuralnet(), started));
    if (trains || job_.checkpoint_path_size() > 0) CheckFirstValuesOf(started);
    if (conf_->exit_code() != kExitConfig) CheckBestMetric();
  }

 private:
  // Checks a phase that the job runs (`runs`), or that a layer names.
  void Check(Phase phase, bool runs, ParamTable* params) {
    bool any = false;
    for (const LayerProto& layer : job_.neuralnet().layer()) {
      any = any || InPhase(layer, phase);
      runs = runs || (layer.include_size() > 0 && InPhase(layer, phase));
    }
    const std::string asker = AskerOf(job_, phase);
    if (!any && runs)
      conf_->Add(ConfigError(
          "neuralnet", StrCat("no layer is in the phase ", Phase_Name(phase),
                              asker.empty() ? "" : StrCat("; ", asker, " asks for that phase"))));
    if (any && runs) Build(phase, params);
  }

  void Build(Phase phase, ParamTable* params) {
    NetOptions options;
    options.phase = phase;
    options.asker = AskerOf(job_, phase);
    options.gradients = phase == kTrain;
    if (phase == kTrain) {  // wrong numbers are reported elsewhere
      options.parts = std::max(1, job_.cluster().nworkers_per_group());
      options.groups = std::max(1, job_.cluster().nworker_groups());
      options.units = false;
    }
    ConfigErrors errors;
    const Net net = BuildNet(job_.neuralnet(), options, params, &errors);
    for (const ConfigError& error : errors) conf_->Add(error.Under("neuralnet"));
    Warn(ConcateHints(job_.neuralnet(), net));
    nets_are_sound_ = nets_are_sound_ && errors.empty();
    if (phase == kTrain && errors.empty()) AddTo(conf_, CheckUnits(job_, options));
    if (phase == kTrain && errors.empty()) CheckAlgorithm(net);
    if (phase == kTrain && errors.empty() && job_.has_updater()) Warn(NetWarnings(job_, net));
    CheckOutputFiles(phase, net);
    if (errors.empty()) Warn(FirstStepWarnings(net));
    for (const NetNode& node : net.nodes()) {
      if (!node.declare) continue;
      for (const Metric& metric : node.declared().metrics)
        if (!metric.hidden) metrics_[metric.name].insert(phase);
      if (options_.files) CheckFiles(node);
      if (!errors.empty() || !warned_.insert(node.path).second) continue;
      WarnOfParams(node);
      WarnOfOwnWeight(net, node);
      if (phase == kTrain) CheckNoLoop(net, node);
    }
  }

  void Warn(const ConfigErrors& warnings) { AddTo(conf_, {.warnings = warnings}); }

  // Adds an error if two layers write to one file, which would mix their records.
  void CheckOutputFiles(Phase phase, const Net& net) {
    std::map<std::string, const NetNode*> nodes;
    for (const NetNode& node : net.nodes()) nodes.emplace(node.name, &node);
    std::map<std::filesystem::path, std::string> writers;  // by file: the layer that writes it
    for (const LayerProto& layer : job_.neuralnet().layer()) {
      const std::string& name = layer.store_conf().path();
      if (!InPhase(layer, phase) || !WritesFile(layer) || name.empty()) continue;
      if (!nodes.count(layer.name())) continue;
      const std::string& first = writers.emplace(PlaceOf(name), layer.name()).first->second;
      const std::string place = nodes[layer.name()]->path;
      if (first != layer.name() && shared_.insert(place).second)
        conf_->Add(
            ConfigError("store_conf.path", StrCat("layer \"", first, "\" writes to this file, too"))
                .Under("neuralnet." + place));
    }
  }

  // Checks that the net has layers that read each other if, and only if, the algorithm is
  // contrastive divergence.
  void CheckAlgorithm(const Net& net) {
    const AlgProto& alg = job_.train_one_batch();
    if (alg.has_user_alg()) return;
    const auto& nodes = net.nodes();
    const auto loop = std::find_if(nodes.begin(), nodes.end(),
                                   [](const NetNode& node) { return node.in_feedback; });
    const auto fail = [this](const std::string& text) {
      conf_->Add(ConfigError("train_one_batch.alg", text));
    };
    if (alg.alg() == kCD && loop == nodes.end())
      fail("kCD trains a kRBMVis and a kRBMHid; the net has none");
    if (alg.alg() != kCD && loop != nodes.end())
      fail(StrCat("must be kCD for a net whose layers read each other, as \"", loop->name,
                  "\" does; is ", AlgType_Name(alg.alg())));
  }

  // Adds an error if a trained net reads its own output. No checkpoint has this state, and other
  // phases overwrite its memory.
  void CheckNoLoop(const Net& net, const NetNode& node) {
    // The only source of an input layer is a feature of the batch before.
    if (node.conf.has_user_type() || !node.wiring.is_input || node.in.empty()) return;
    const auto& nodes = net.nodes();
    if (std::none_of(nodes.begin(), nodes.end(), [](const NetNode& n) { return n.runs_backward; }))
      return;
    conf_->Add(ConfigError("rnn_dummy_conf.dynamic_srclayer",
                           "a net that reads its own output can be tested, not trained: keep the "
                           "layer out of training (include: kTest)")
                   .Under("neuralnet." + node.path));
  }

  // Warns if the hidden side of an RBM does not share the visible side's weight, as only that side
  // gives a gradient.
  void WarnOfOwnWeight(const Net& net, const NetNode& vis) {
    if (vis.conf.has_user_type() || vis.wiring.feedback_slots == 0) return;
    const int hid = std::countr_zero(vis.wiring.feedback_slots);
    for (const NetNode& node : net.nodes()) {
      if (node.name != vis.conf.srclayers(hid)) continue;
      if (node.declared().params[0] == vis.declared().params[0]) continue;
      conf_->Add(ConfigError("param[0]", StrCat("is not trained: give it a share_from of the "
                                                "weight of layer \"",
                                                vis.name, "\""))
                     .Under("neuralnet." + node.path),
                 Diagnostic::kWarning);
    }
  }

  // Warns of params in the conf that the layer does not use.
  void WarnOfParams(const NetNode& node) {
    const int known = static_cast<int>(node.declared().params.size());
    for (int i = known; i < node.conf.param_size(); ++i)
      conf_->Add(ConfigError(StrCat("param[", i, "]"),
                             StrCat("has no effect: the layer has ", Counted(known, "param")))
                     .Under("neuralnet." + node.path),
                 Diagnostic::kWarning);
  }

  // Returns the phase whose metric checkpoint_best names; kTrain: neither runs.
  Phase BestPhase() const {
    if (RunsPhase(job_, kVal)) return kVal;
    return RunsPhase(job_, kTest) ? kTest : kTrain;
  }

  // Reads no files if a net has mistakes: it lacks params, and files would seem to have too many.
  void CheckFirstValuesOf(const ParamTable& params) {
    const bool read_files = options_.files && !options_.resumes && nets_are_sound_;
    for (const ConfigError& error : CheckFirstValues(job_, params, read_files)) conf_->Add(error);
  }

  void CheckFiles(const NetNode& node) {
    std::error_code ignored;
    for (const auto& [field, file] : node.declared().files)
      if (!std::filesystem::exists(file, ignored))
        conf_->Add(ConfigError(field, StrCat("there is no file \"", file, "\""), kExitNoInput)
                       .Under("neuralnet." + node.path));
  }

  void CheckBestMetric() {
    const std::string& best = job_.checkpoint_best();
    if (best.empty()) return;
    const Phase phase = BestPhase();
    const auto it = metrics_.find(best);
    if (it == metrics_.end()) {
      std::vector<std::string> known;
      for (const auto& metric : metrics_) known.push_back(metric.first);
      conf_->Add(ConfigError("checkpoint_best", StrCat("no layer has the metric \"", best, "\"",
                                                       DidYouMean(best, known))));
    } else if (phase == kTrain) {
      conf_->Add(
          ConfigError("checkpoint_best", "has no effect: the job runs no validation and no test"),
          Diagnostic::kWarning);
    } else if (!it->second.count(phase)) {
      conf_->Add(ConfigError("checkpoint_best", StrCat("no layer of the phase ", Phase_Name(phase),
                                                       " has the metric \"", best, "\"")));
    }
  }

  const JobProto& job_;
  const CheckOptions options_;
  JobConf* conf_;
  bool nets_are_sound_ = true;
  std::set<std::string> warned_;                    // layers whose params were checked
  std::set<std::string> shared_;                    // layers that write another layer's file
  std::map<std::string, std::set<Phase>> metrics_;  // metric -> phases that have it
};

// Returns whether settings of the whole net are right. Wrong ones would be reported in each layer.
bool NetIsSound(const ConfigErrors& errors) {
  return std::none_of(errors.begin(), errors.end(), [](const ConfigError& error) {
    const std::string& path = error.path();
    return path.rfind("neuralnet", 0) == 0 && path.find('[') == std::string::npos;
  });
}

bool IsOfCluster(const ConfigError& finding) { return finding.path().starts_with("cluster."); }

void Check(const CheckOptions& options, CheckedJob* checked) {
  JobConf& conf = checked->conf;
  if (!conf.ok()) return;
  ConfFindings found = CheckValues(checked->job, options.use);
  if (options.elsewhere) std::erase_if(found.warnings, IsOfCluster);
  AddTo(&conf, found);
  if (!options.elsewhere) AddTo(&conf, CheckGpus(&checked->job));
  if (NetIsSound(found.errors)) NetCheck(checked->job, options, &conf).Run();
  if (!options.stores || !conf.ok()) return;
  ConfigErrors unreadable;
  AddTo(&conf, CompareFacts(StoresOf(checked->job, options.use, &unreadable)));
  for (const ConfigError& error : unreadable) conf.Add(error);
}

}  // namespace

std::unique_ptr<CheckedJob> CheckJob(const std::string& file, const std::vector<std::string>& sets,
                                     const CheckOptions& options) {
  auto checked = std::make_unique<CheckedJob>(file, sets);
  Check(options, checked.get());
  return checked;
}

std::unique_ptr<CheckedJob> CheckJobText(const std::string& file, const std::string& text,
                                         const std::vector<std::string>& sets,
                                         const CheckOptions& options) {
  auto checked = std::make_unique<CheckedJob>(file, text, sets);
  Check(options, checked.get());
  return checked;
}

int WithJob(const std::string& file, const std::vector<std::string>& sets,
            const CheckOptions& options, const std::function<int(const JobProto&)>& use) {
  const std::unique_ptr<CheckedJob> checked = CheckJob(file, sets, options);
  const bool quiet = options.quiet && checked->conf.ok();
  if (!quiet) std::fputs(checked->conf.Render().c_str(), stderr);
  if (!checked->conf.ok()) return checked->conf.exit_code();
  try {
    return use(checked->job);
  } catch (const ConfigError& error) {
    std::fputs(checked->conf.Render(error).c_str(), stderr);
    return error.code();
  } catch (const Error& error) {
    if (!options.places) throw;
    const std::optional<ConfigError> placed = AtFieldOfFile(checked->job, options.use, error);
    if (!placed) throw;
    std::fputs(checked->conf.Render(*placed).c_str(), stderr);
    return placed->code();
  }
}

}  // namespace singa
