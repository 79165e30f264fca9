#include "driver/job/resume_fit.h"

#include <algorithm>
#include <set>
#include <vector>

#include "cluster/protocol/gradient_codec.h"
#include "cluster/protocol/topology.h"
#include "cluster/server/outer_sync.h"
#include "train/reduce/exchange_state.h"
#include "train/state/handed_momentum.h"

namespace singa {
namespace {

constexpr char kAdvice[] =
    "; without -resume the job trains anew, and checkpoint_path starts it from these params";

constexpr char kMomentumApart[] =
    ": in it each process has a momentum of its own (momentum_correction). This job cannot use "
    "these momentums, as it has several worker groups or divides layers in another way. Set "
    "nworker_groups and partition_dim as in manifest.json. To begin with a momentum of 0 instead, "
    "leave out -resume, and type -set checkpoint_path=";

// State of workers for a compression, as a checkpoint has it.
struct ExchangeState {
  std::string_view kind;
  const char* text;
};
constexpr ExchangeState kExchangeStates[] = {
    {kCodecState, "residuals of kTopK or kThreshold"},
    {kLowRankState, "residuals of kPowerSGD"},
    {kOwnValuesState, "workers' own values of kPartial"},
};

std::string Joined(const std::vector<std::string>& parts) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < std::min(parts.size(), kMost); ++i) text += (i ? "; " : "") + parts[i];
  if (parts.size() > kMost) text += StrCat("; and ", parts.size() - kMost, " more");
  return text;
}

std::vector<std::string> ParamMisfits(const Checkpoint& checkpoint, const ParamTable& params) {
  std::vector<std::string> found;
  for (const auto& param : params.params()) {
    const StoredTensor* const stored = checkpoint.params().Find(param->name());
    if (!stored)
      found.push_back(StrCat("param \"", param->name(), "\" is not in it"));
    else if (!(stored->shape == param->shape()))
      found.push_back(StrCat("param \"", param->name(), "\" has the shape ",
                             stored->shape.ToString(), " in it, in the net ",
                             param->shape().ToString()));
  }
  for (const StoredTensor& stored : checkpoint.params().tensors())
    if (!params.Find(stored.name))
      found.push_back(StrCat("param \"", Printable(stored.name), "\" is not in the net"));
  return found;
}

std::string StateMisfit(const Checkpoint& checkpoint, Trainer* lead) {
  for (const UpdaterState& state : lead->replica().states())
    for (const std::string& name : state.names)
      if (!checkpoint.state().Find("updater/" + state.param + "/" + name))
        return StrCat("it has no \"", name, "\" of param \"", state.param,
                      "\", which the job's updater keeps: it was trained with another updater, or "
                      "other settings of it");
  return "";
}

bool HasAverages(const Checkpoint& checkpoint) {
  return std::ranges::any_of(checkpoint.state().tensors(), [](const StoredTensor& tensor) {
    return tensor.name.ends_with(StrCat("/", kAverageState));
  });
}

bool LacksMomentum(const Checkpoint& checkpoint, Trainer* lead) {
  return std::ranges::any_of(lead->replica().states(), [&](const UpdaterState& state) {
    return std::ranges::count(state.names, kMomentumState) > 0 &&
           !checkpoint.state().Find(StrCat("updater/", state.param, "/", kMomentumState));
  });
}

// Returns whether a worker has anything in the tensor that is lost with it.
bool HasOwn(const StoredTensor& tensor, std::string_view kind) {
  if (tensor.type != StoredType::kF32 || !IsOfWorker(tensor.name, kind)) return false;
  return std::ranges::any_of(FloatsIn(tensor), [](float value) { return value != 0; });
}

}  // namespace

std::string UpdaterName(const JobProto& job) {
  const UpdaterProto& updater = job.updater();
  return updater.has_user_type() ? updater.user_type() : UpdaterType_Name(updater.type());
}

void CheckFits(const Checkpoint& checkpoint, const JobProto& job, Trainer* lead) {
  const std::vector<std::string> params = ParamMisfits(checkpoint, lead->model().params());
  if (!params.empty())
    throw ConfigError("neuralnet", StrCat("the checkpoint to resume from, ", checkpoint.dir(),
                                          ", is of another net: ", Joined(params), kAdvice));
  const std::string field = job.updater().has_type() ? "updater.type" : "updater";
  const auto& run = checkpoint.manifest().run;
  const auto then = run.find("updater");
  if (then != run.end() && then->second != RunValue(UpdaterName(job)))
    throw ConfigError(field, StrCat("the checkpoint to resume from, ", checkpoint.dir(),
                                    ", was trained with ", Printable(then->second.text()),
                                    ", the job says ", UpdaterName(job), kAdvice));
  const std::string state = StateMisfit(checkpoint, lead);
  if (state.empty()) return;
  if (lead->replica().rule().averages() && !HasAverages(checkpoint))
    throw ConfigError("ema_decay", StrCat("the checkpoint to resume from, ", checkpoint.dir(),
                                          ", has no averages of the values", kAdvice));
  const bool had_momentum = ProcessesHadMomentum(checkpoint.state());
  if (had_momentum && !HandedMomentum(checkpoint.state(), checkpoint.step(), *lead).empty()) return;
  if (had_momentum)
    throw ConfigError("cluster.all_reduce.momentum_correction",
                      StrCat("the checkpoint to resume from is ", checkpoint.dir(), kMomentumApart,
                             checkpoint.dir()));
  throw ConfigError("updater", StrCat("the checkpoint to resume from is ", checkpoint.dir(), ": ",
                                      state, kAdvice));
}

std::string HandedStates(const Checkpoint& checkpoint, Trainer* lead) {
  if (!LacksMomentum(checkpoint, lead)) return "";
  return StrCat(
      "the updater's momentum is made of the momentum that each process has in ", checkpoint.dir(),
      " (cluster.all_reduce.momentum_correction) and of what the processes had not sent "
      "yet, which the next steps bring in. This is not exact if the learning rate changes, "
      "or with weight_decay or factor_masking");
}

std::string UnusedStates(const Checkpoint& checkpoint, const JobProto& job, Trainer* lead) {
  std::set<std::string> kept, unused;
  for (const UpdaterState& state : lead->replica().states()) {
    kept.insert(StrCat("updater/", state.param, "/count"));  // of updates, which all count
    for (const std::string& name : state.names)
      kept.insert(StrCat("updater/", state.param, "/", name));
  }
  for (const StoredTensor& tensor : checkpoint.state().tensors())
    if (tensor.name.starts_with("updater/") && !kept.contains(tensor.name))
      unused.insert(Printable(tensor.name.substr(tensor.name.rfind('/') + 1)));
  const bool averages = unused.erase(kAverageState) > 0;
  std::string dropped =
      averages ? StrCat("the averages in ", checkpoint.dir(), " are dropped: ema_decay is 0") : "";
  if (unused.empty()) return dropped;
  std::string names;
  for (const std::string& name : unused) names += (names.empty() ? "" : ", ") + name;
  return StrCat(dropped, averages ? "; " : "", "the updater's states in ", checkpoint.dir(),
                " are not used (", names, "): ",
                MomentumOfCodec(job) > 0 ? "each process begins a momentum of its own at 0, as "
                                           "cluster.all_reduce.momentum_correction says"
                                         : "the job's updater keeps none");
}

std::string UnusedExchangeState(const Checkpoint& checkpoint, const JobProto& job, SyncMode mode,
                                Trainer* lead) {
  std::string found, why;
  for (const ExchangeState& state : kExchangeStates) {
    const std::string lost = WhyNotKept(state.kind, mode, job);
    const bool handed = state.kind == kCodecState && LacksMomentum(checkpoint, lead);
    const auto has_own = [&](const StoredTensor& tensor) { return HasOwn(tensor, state.kind); };
    if (lost.empty() || handed || std::ranges::none_of(checkpoint.state().tensors(), has_own))
      continue;
    found += (found.empty() ? "" : ", ") + std::string(state.text);
    why = lost;
  }
  if (found.empty()) return "";
  return StrCat("state of gradient compression in ", checkpoint.dir(), " is not used (", found,
                "): ", why);
}

bool IsInRound(const Checkpoint& checkpoint, const ClusterProto& cluster) {
  const auto has = [&](const char* start) {
    return std::ranges::any_of(checkpoint.state().tensors(), [&](const StoredTensor& tensor) {
      return tensor.name.starts_with(start);
    });
  };
  return InRounds(cluster) && has(kOuterMomentum) && !has(kOuterEnded);
}

void ThrowMisfit(const Checkpoint& checkpoint, const MisfitError& error) {
  throw ConfigError("", StrCat("the checkpoint to resume from, ", checkpoint.dir(),
                               ", is of another job: ", error.what(), kAdvice));
}

}  // namespace singa
