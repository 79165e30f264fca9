#include "driver/command/check_command.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdio>

#include "base/text/counted.h"
#include "cluster/protocol/sync_plan.h"
#include "driver/command/check_workers.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/conf/conf_text.h"
#include "driver/job/dot_graph.h"
#include "driver/job/dot_picture.h"
#include "driver/job/run_job.h"
#include "driver/workspace/progress.h"
#include "train/state/param_sources.h"
#include "train/trainer/plan_net.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

struct Row {
  std::string layer, type, shape, params;
};

std::string ParamsText(const NetNode& node) {
  std::string text;
  for (const Param* param : node.declared().params)
    text +=
        StrCat(text.empty() ? "" : ", ", Printable(param->name()), " ", param->shape().ToString());
  return text;
}

void PrintNet(const Net& net) {
  std::vector<Row> rows = {{"layer", "type", "output", "params"}};
  for (const NetNode& node : net.nodes()) {
    std::string shapes = node.out[0]->data.shape().ToString();
    if (node.out.size() > 1) shapes = StrCat(node.out.size(), " x ", shapes);
    rows.push_back({Printable(node.full_name),
                    node.conf.has_user_type() ? Printable(node.conf.user_type())
                                              : LayerType_Name(node.conf.type()),
                    shapes, ParamsText(node)});
  }
  size_t layer = 0, type = 0, shape = 0;
  for (const Row& row : rows) {
    layer = std::max(layer, row.layer.size());
    type = std::max(type, row.type.size());
    shape = std::max(shape, row.shape.size());
  }
  for (const Row& row : rows)
    std::printf("%-*s  %-*s  %-*s  %s\n", static_cast<int>(layer), row.layer.c_str(),
                static_cast<int>(type), row.type.c_str(), static_cast<int>(shape),
                row.shape.c_str(), row.params.c_str());
}

// Prints memory use. `besides` is the number of bytes that are in use already.
void PrintUse(const char* title, const MemoryUse& use, int64_t besides = 0) {
  std::printf("%-17s %s\n", title, MiB(use.total() + besides).c_str());
  if (besides > 0)
    std::printf("  in use before   %s (CUDA's context, libraries, other programs)\n",
                MiB(besides).c_str());
  std::printf("  parameters      %s\n", MiB(use.params).c_str());
  std::printf("  gradients       %s\n", MiB(use.gradients).c_str());
  std::printf("  updater state   %s\n", MiB(use.updater).c_str());
  if (use.unplanned > 0)
    std::printf("  features        %s (%s without sharing)\n", MiB(use.arena).c_str(),
                MiB(use.unplanned).c_str());
  if (use.forever > 0) std::printf("  lasting buffers %s\n", MiB(use.forever).c_str());
  if (use.pinned > 0) std::printf("  for transfers   %s\n", MiB(use.pinned).c_str());
  if (use.objects > 0) std::printf("  objects         %s (estimated)\n", MiB(use.objects).c_str());
}

void PrintTotals(Trainer* trainer) {
  const JobMemory memory = trainer->memory();
  int64_t count = 0;
  for (const auto& param : trainer->model().params().params()) count += param->size();
  std::printf("\nparameters        %lld\n", static_cast<long long>(count));
  std::printf("samples a step    %lld\n",
              static_cast<long long>(trainer->model().samples_per_step()));
  PrintUse("memory", memory.host);
  if (Stream* const stream = trainer->model().ctx().stream) {
    const Gpu& gpu = stream->gpu();  // plans exist, so the context exists and libraries are loaded
    const int64_t before = gpu.total_bytes() - gpu.free_bytes();
    PrintUse("memory of the GPU", memory.gpus, before);
    if (memory.gpus.total() + before > gpu.total_bytes())
      LOG(WARNING) << "the GPU has only " << MiB(gpu.total_bytes()) << " of memory";
  }
  if (memory.host.total() > UsableMemory())
    LOG(WARNING) << "this machine has only " << MiB(UsableMemory()) << " of memory";
}

void PrintNames(const std::string& title, const std::vector<std::string>& names) {
  constexpr int kWidth = 20;
  if (!names.empty())
    std::printf("  %-*s  %s\n", kWidth, title.c_str(), Printable(JoinNames(names)).c_str());
}

// Prints where the params' first values come from, and which params do not train.
void PrintFirstValues(const JobProto& job, const ParamTable& params) {
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  ConfigErrors ignored;  // the check of the job reports them
  const InitReport report = JudgeParamFiles(files, params, &ignored);
  std::vector<std::string> frozen;
  for (const auto& param : params.params())
    if (param->conf().lr_scale() == 0) frozen.push_back(param->name());
  if (files.empty() && frozen.empty()) return;
  std::printf("\nfirst values\n");
  for (size_t i = 0; i < files.size(); ++i) {
    std::vector<std::string> names;
    for (const std::string& name : report.loaded)
      if (report.loaded_by.at(name) == i) names.push_back(name);
    PrintNames("from " + Printable(files[i]), names);
  }
  PrintNames("transposed", {report.transposed.begin(), report.transposed.end()});
  PrintNames("initialised", report.initialised);
  PrintNames("frozen (lr_scale: 0)", frozen);
  PrintNames("not in the net", report.unused);
}

void PrintChoices(const std::vector<KernelChoice>& choices) {
  std::printf("\nkernels\n");
  for (const KernelChoice& choice : choices)
    std::printf("  %s: %s by %s\n", choice.layer.c_str(), choice.slot.c_str(),
                choice.kernel.c_str());
}

// Prints how gradients become updates, on one host.
void PrintSync(const JobProto& job) {
  const SyncPlan plan = PlanSync(job);
  const int processes = plan.topology.processes();
  std::printf("\nsynchronisation   %s, %s (%s)\n", ToString(plan.mode),
              Counted(processes, "process", "processes").c_str(), plan.why.c_str());
}

CheckOptions CheckOptionsOf(const CommandLine& line, bool files) {
  CheckOptions options;
  options.use = line.test ? JobUse::kTest : JobUse::kEither;
  options.files = options.stores = files;
  return options;
}

// Builds the net that the job trains or, with `test`, only tests.
Net PlannedNet(const JobProto& job, bool test, ParamTable* params) {
  StepState state;
  Context ctx;
  ctx.threads = WorkerThreads(job, 0);
  ctx.plain = job.plain_kernels();
  ctx.state = &state;
  NetMemory memory;
  return PlanNet(job, test ? kTest : kTrain, {}, params, *TestAlgorithm(job), &ctx, &memory);
}

}  // namespace

int CheckCommand(const CommandLine& line) {
  return WithJob(line.conf, line.sets, CheckOptionsOf(line, true), [&](const JobProto& job) {
    if (line.expand) {
      std::fputs(ConfText(job).c_str(), stdout);
      return kExitOk;
    }
    if (line.test || !Trains(job, JobUse::kEither)) {
      ParamTable params;
      PrintNet(PlannedNet(job, true, &params));
      PrintFirstValues(job, params);
      return kExitOk;
    }
    std::vector<KernelChoice> choices;
    Trainer trainer(job, WorkerThreads(job, 0), &choices);
    PrintNet(trainer.model().net());
    PrintTotals(&trainer);
    PrintWorkers(job);
    PrintFirstValues(job, trainer.model().params());
    if (line.verbose) {
      PrintSync(job);
      PrintChoices(choices);
    }
    return kExitOk;
  });
}

int GraphCommand(const CommandLine& line) {
  return WithJob(
      line.conf, line.sets, CheckOptionsOf(line, false), [&](const JobProto& job) -> int {
        ParamTable params;
        const bool test = line.test || !Trains(job, JobUse::kEither);
        const std::string dot = GraphDot(PlannedNet(job, test, &params), job.name(), line.verbose);
        if (line.svg) return PrintSvg(dot);
        std::fputs(dot.c_str(), stdout);
        return kExitOk;
      });
}

namespace {

constexpr const char* kCheckHelp =
    R"(usage: singa check [-v] [-test] [-expand] [-set PATH=VALUE]... FILE

Checks a job as training would, and shows every mistake with its line and column. It reads the first
records of the stores, the size and labels of small stores, all lines of a CSV of at most 1 MiB or
10,000 lines, and the headers of checkpoint_path's files. For a sound job it shows the layers with
shapes, the parameters, the sources of their initial values, and the memory. Layers and memory are
those of one worker that trains alone. With several workers in a group, lines below the memory show
how they divide the layers, and the memory of each.

  -test   check the job as one that is run with -test
  -expand only print the conf, with the copies of its `repeat` blocks and the values of -set
  -v      also show how gradients become updates, and the kernels of every layer that has some:
          plain, vector or a library's

Exit code 0: the job is sound, perhaps with warnings; 65: a file contradicts it or is damaged;
66: no such file; 78: it has mistakes.
)";

SINGA_REGISTER_SUBCOMMAND(check, {.place = 20,
                                  .name = "check",
                                  .operands = "FILE",
                                  .brief = "check a job and show its layers, parameters and memory",
                                  .reads = Subcommand::kFile,
                                  .options = {"conf", "set", "plugin", "test", "expand"},
                                  .alone = true,
                                  .help = kCheckHelp,
                                  .run = CheckCommand});

constexpr const char* kGraphHelp =
    R"(usage: singa graph [-v] [-test] [-svg] [-set PATH=VALUE]... FILE

Prints the net of the training phase in the language of Graphviz, or draws it:
  singa graph -svg job.conf > net.svg

A chain of layers is one box, with a row for each layer: name, type, shape of the output, number of
parameters. The colour shows the kind of the layer. Layers whose names begin alike up to their first
number, or up to a dot, have a frame: a1conv1, a1norm1 and a1 are the block a1.

  -test   the net of the test phase
  -svg    as a picture, by Graphviz's dot
  -v      also layers that singa inserts, such as kSplit, and the params with names and shapes
)";

SINGA_REGISTER_SUBCOMMAND(graph, {.place = 30,
                                  .name = "graph",
                                  .operands = "FILE",
                                  .brief = "draw the net, or print it for Graphviz",
                                  .reads = Subcommand::kFile,
                                  .options = {"conf", "set", "plugin", "test", "svg"},
                                  .alone = true,
                                  .help = kGraphHelp,
                                  .run = GraphCommand});

}  // namespace

}  // namespace singa
