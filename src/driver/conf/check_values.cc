#include "driver/conf/check_values.h"

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "cluster/protocol/gradient_codec.h"
#include "driver/conf/message_walk.h"
#include "driver/facts/compare_facts.h"
#include "driver/plugin/load_plugins.h"
#include "singa/train/algorithm.h"
#include "singa/train/initializer.h"
#include "singa/train/learning_rate.h"
#include "singa/train/updater.h"

namespace singa {
namespace {

constexpr int64_t kMaxUnrolled = 1000000;  // limit of layers times time steps

// Adds the ConfigError of `make` under `path`.
void Try(const std::string& path, ConfFindings* found, const std::function<void()>& make) {
  try {
    make();
  } catch (const ConfigError& error) {
    found->errors.push_back(error.Under(path));
  }
}

// Checks the phases that a layer names.
void CheckPhases(const LayerProto& layer, const std::string& path, ConfFindings* found) {
  const auto check = [&](const char* field, const auto& phases) {
    for (int i = 0; i < phases.size(); ++i) {
      const int phase = phases[i];
      if (phase == kTrain || phase == kVal || phase == kTest) continue;
      found->errors.push_back(ConfigError(
          ElementPath(JoinPath(path, field), i),
          StrCat("must be kTrain, kVal or kTest, is ", Phase_Name(static_cast<Phase>(phase)))));
      return;
    }
  };
  check("include", layer.include());
  check("exclude", layer.exclude());
}

// Returns what is wrong with the net's size, on which later checks rely.
std::string SizeProblem(const NetProto& net) {
  if (net.layer_size() == 0) return "has no layer";
  if (net.layer_size() > kMaxLayers)
    return StrCat("must have at most ", kMaxLayers, " layers, has ", net.layer_size());
  int64_t nodes = 0;
  for (const LayerProto& layer : net.layer())
    nodes += std::max(1, layer.has_unroll_len() ? layer.unroll_len() : net.unroll_len());
  return nodes <= kMaxUnrolled
             ? ""
             : StrCat("must have at most ", kMaxUnrolled, " layers times unroll_len, has ", nodes);
}

// Warns if processes are to add a momentum that the updater does not have.
void WarnOfMomentum(const JobProto& job, const Updater& updater, ConfFindings* found) {
  const AllReduceProto& conf = job.cluster().all_reduce();
  if (SendsLater(conf) && conf.has_momentum_correction() && updater.momentum() == 0)
    found->warnings.push_back(
        ConfigError("cluster.all_reduce.momentum_correction",
                    "has no effect: it is for an updater of type kSGD with momentum"));
}

// Returns the error that two fields are both set, with the option that leaves each one to decide.
std::string NotTogether(const std::string& steps_field, const std::string& steps,
                        const std::string& epochs_field, const std::string& epochs,
                        const std::string& verb) {
  return StrCat("not together with ", steps_field, ": one of them must be 0; -set ", epochs_field,
                "=0 ", verb, steps, ", -set ", steps_field, "=0 ", verb, epochs);
}

}  // namespace

bool Trains(const JobProto& job, JobUse use) {
  if (use == JobUse::kEither)
    return job.has_updater() || job.has_train_steps() || job.has_train_epochs();
  return use == JobUse::kTrain;
}

void CheckSteps(const JobProto& job, JobUse use, ConfFindings* found) {
  const auto fail = [found](const char* path, const std::string& text) {
    found->errors.push_back(ConfigError(path, text));
  };
  if (job.train_steps() > 0 && job.train_epochs() > 0)
    fail("train_epochs",
         NotTogether("train_steps", Counted(job.train_steps(), "step"), "train_epochs",
                     Counted(job.train_epochs(), "epoch"), "trains "));
  if (job.test_freq() > 0 && job.test_epochs() > 0)
    fail("test_epochs", NotTogether("test_freq", Counted(job.test_freq(), "step"), "test_epochs",
                                    Counted(job.test_epochs(), "epoch"), "tests every "));
  if (job.stop_patience() > 0 && job.checkpoint_best().empty())
    fail("stop_patience", "needs checkpoint_best, the metric that has to get better");
  else if (job.stop_patience() > 0 && job.validate_freq() == 0 && job.test_freq() == 0 &&
           job.test_epochs() == 0)
    fail("stop_patience", "needs validations (validate_freq) or tests (test_freq, test_epochs)");
  const bool steps = job.has_train_steps() || job.train_epochs() > 0;
  if (!steps && Trains(job, use))
    fail("train_steps", "is missing; training needs train_steps or train_epochs");
}

void CheckAlgorithm(const JobProto& job, ConfFindings* found) {
  if (job.has_train_one_batch())
    Try("train_one_batch", found, [&] { MakeAlgorithm(job.train_one_batch()); });
  else
    found->errors.push_back(ConfigError("train_one_batch", "is missing; it names the algorithm"));
}

void CheckUpdater(const JobProto& job, JobUse use, ConfFindings* found) {
  if (!job.has_updater()) {
    if (Trains(job, use))
      found->errors.push_back(ConfigError("updater", "is missing; training needs it"));
    return;
  }
  const UpdaterProto& conf = job.updater();
  Try("updater", found, [&] { WarnOfMomentum(job, *MakeUpdater(conf), found); });
  if (conf.has_learning_rate())
    Try("updater.learning_rate", found, [&] { MakeLearningRate(conf.learning_rate()); });
  else
    found->errors.push_back(ConfigError("updater.learning_rate", "is missing"));
  if (conf.clip_low() > conf.clip_high())
    found->errors.push_back(
        ConfigError(conf.has_clip_low() ? "updater.clip_low" : "updater.clip_high",
                    StrCat("clip_low must be <= clip_high, they are ", conf.clip_low(), " and ",
                           conf.clip_high())));
}

void CheckParams(const JobProto& job, ConfFindings* found) {
  WalkMessages(job, "", [found](const google::protobuf::Message& message, const std::string& path) {
    if (message.GetDescriptor() != ParamGenProto::descriptor()) return;
    const auto& init = static_cast<const ParamGenProto&>(message);
    // An empty initializer is allowed, as a checkpoint may give the values.
    if (init.has_user_type() || init.type() != kUserInit)
      Try(path, found, [&] { MakeInitializer(init); });
  });
}

void CheckLayers(const JobProto& job, ConfFindings* found) {
  if (!job.has_neuralnet()) {
    found->errors.push_back(ConfigError("neuralnet", "is missing"));
    return;
  }
  const std::string problem = SizeProblem(job.neuralnet());
  if (!problem.empty()) found->errors.push_back(ConfigError("neuralnet", problem));
  std::string includes;  // the first layer that uses include
  WalkMessages(job, "", [&](const google::protobuf::Message& message, const std::string& path) {
    if (message.GetDescriptor() != LayerProto::descriptor()) return;
    const auto& layer = static_cast<const LayerProto&>(message);
    CheckPhases(layer, path, found);
    if (layer.include_size() > 0 && includes.empty()) includes = path;
  });
  if (includes.empty()) return;
  WalkMessages(job, "", [&](const google::protobuf::Message& message, const std::string& path) {
    if (message.GetDescriptor() == LayerProto::descriptor() &&
        static_cast<const LayerProto&>(message).exclude_size() > 0)
      found->errors.push_back(
          ConfigError(JoinPath(path, "exclude"),
                      StrCat("not together with include, which ", includes, " has")));
  });
}

ConfFindings CheckValues(const JobProto& job, JobUse use) {
  ConfFindings found;
  const std::string twice = ProgramRegistersTwice();
  if (!twice.empty())
    found.errors.push_back(ConfigError("", "this program registers twice: " + twice));
  CheckRanges(job, &found);
  CheckSteps(job, use, &found);
  CheckAlgorithm(job, &found);
  CheckUpdater(job, use, &found);
  CheckCluster(job, &found);
  CheckParams(job, &found);
  CheckLayers(job, &found);
  CompareSettings(job.neuralnet(), &found);
  WarnWithoutEffect(job, &found);
  return found;
}

}  // namespace singa
