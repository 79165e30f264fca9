#include "driver/gradcheck/gradcheck_command.h"

#include <algorithm>
#include <cstdio>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/gradcheck/layer_check.h"
#include "train/state/init_params.h"
#include "train/trainer/worker_model.h"

namespace singa {
namespace {

// Returns a job of one worker on the host, in which no features share memory.
JobProto JobToCheck(JobProto job) {
  job.clear_cluster();
  job.clear_gpu();
  job.clear_test_freq();
  job.clear_test_epochs();
  job.clear_test_steps();
  job.clear_validate_freq();
  job.set_debug(true);
  return job;
}

// Returns the first word of a line: "none" if no element could be compared.
const char* VerdictOf(const TensorCheck& check) {
  if (!check.ok()) return "FAIL";
  return check.elements > 0 ? "ok" : "none";
}

void Print(const NetNode& node, const TensorCheck& check) {
  std::printf("%-4s %s: %s: %s", VerdictOf(check), Printable(node.full_name).c_str(),
              Printable(check.tensor).c_str(), Counted(check.elements, "element").c_str());
  if (check.kinks > 0) std::printf(", %lld at kinks", static_cast<long long>(check.kinks));
  std::printf(", differs by %.1e\n", check.worst);
  if (!check.ok())
    std::printf("     element %lld: gradient %.6g, difference %.6g\n",
                static_cast<long long>(check.at), check.gradient, check.difference);
}

// Returns whether the layer's gradients are the differences.
bool CheckNode(Context* ctx, Net* net, NetNode* node) {
  if (node->in_feedback) {
    std::printf("none %s: contrastive divergence follows no gradient\n",
                Printable(node->full_name).c_str());
    return true;
  }
  bool ok = true;
  const std::vector<TensorCheck> checks = LayerCheck(ctx, net, node).Run();
  for (const TensorCheck& check : checks) {
    Print(*node, check);
    ok = ok && check.ok();
  }
  if (checks.empty())
    std::printf("none %s: nothing below it trains, and it has no params that do\n",
                Printable(node->full_name).c_str());
  return ok;
}

void RequireLayer(const NetProto& net, const std::string& name) {
  std::vector<std::string> names;
  for (const LayerProto& layer : net.layer()) names.push_back(layer.name());
  if (std::ranges::find(names, name) == names.end())
    throw Error(kExitUsage, StrCat("-layer: no layer \"", name, "\"", DidYouMean(name, names)));
}

int CheckGradients(const JobProto& given, const std::string& layer) {
  const JobProto job = JobToCheck(given);
  if (!layer.empty()) RequireLayer(job.neuralnet(), layer);
  WorkerModel model(job, {.threads = 1}, nullptr);
  model.AllocateValues(nullptr, nullptr);
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  InitParams(model.ctx(), files, &model.params());
  model.Open();
  bool ok = true, any = false;
  for (NetNode& node : model.net().nodes()) {
    model.net().ComputeFeature(model.ctx(), node, static_cast<Phase>(kTrain | kForward));
    const bool of_conf = node.conf.has_name() && !node.bridge && !node.wiring.is_input;
    if (!of_conf || !node.runs_backward || (!layer.empty() && node.name != layer)) continue;
    any = true;
    ok = CheckNode(&model.ctx(), &model.net(), &node) && ok;
  }
  if (!any) std::printf("no gradient to check%s\n", layer.empty() ? "" : (" in " + layer).c_str());
  return ok ? kExitOk : kExitBug;
}

}  // namespace

int GradcheckCommand(const std::vector<std::string>& args) {
  const Arguments words("gradcheck", args, {.values = {"layer"}, .repeated = {"set", "plugin"}});
  const std::string& conf = words.Operands("FILE")[0];
  return WithJob(conf, words.Settings(), {.use = JobUse::kTrain},
                 [&](const JobProto& job) { return CheckGradients(job, words.Get("layer")); });
}

namespace {

constexpr const char* kGradcheckHelp =
    R"(usage: singa gradcheck FILE [-layer NAME] [-set PATH=VALUE]... [-plugin LIBRARY]...

Compares the gradients of the job's layers with finite differences, on the first batch and the
initial values of the parameters. Each input and parameter of a layer that gets a gradient has a
line. Use it for your own layers.

  -layer NAME   only this layer

Up to 40 elements of each tensor are moved by a hundredth of its typical size, or further if the
feature is so large that its rounding would hide them. The gradient and the difference may differ by
2 %, since numbers are float32. Elements where the feature has a kink, as kReLU has at 0, are not
compared. A line begins with "none" if nothing could be compared. The gradient of a loss may be that
of its metric times one factor, such as the half of kEuclideanLoss. Random numbers, as of kDropout,
stay the same. A state that a layer carries from batch to batch is reset each time.

Exit code 0: all gradients agree; 1: one differs; 78: the job has mistakes.
)";

SINGA_REGISTER_SUBCOMMAND(gradcheck, {.place = 47,
                                      .name = "gradcheck",
                                      .operands = "FILE",
                                      .brief = "compare layers' gradients with finite differences",
                                      .reads = Subcommand::kItsOwn,
                                      .options = {},
                                      .alone = true,
                                      .help = kGradcheckHelp,
                                      .run = [](const CommandLine& line) {
                                        return GradcheckCommand(line.args);
                                      }});

}  // namespace
}  // namespace singa
