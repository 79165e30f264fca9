#include "driver/command/export_command.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdio>

#include "driver/arguments/arguments.h"
#include "driver/command/export_tensorboard.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/job/trained_files.h"
#include "driver/onnx/net_export.h"
#include "io/file/new_file.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

void CheckUsage(const Arguments& args) {
  const std::vector<std::string>& words = args.operands();
  const std::string whole = StrCat(": singa export onnx -conf ", args.Get("conf", "job.conf"), " ",
                                   words.size() > 1 ? words[1] : "net.onnx");
  if (words.empty()) args.ThrowUsage("the format and the file to write are missing" + whole);
  if (words[0] != "onnx")
    args.ThrowUsage(StrCat("the format must be onnx or tensorboard, is ", words[0]));
  if (words.size() < 2) args.ThrowUsage("the file to write is missing" + whole);
  if (!args.Has("conf")) args.ThrowUsage("-conf, the job whose net it writes, is missing" + whole);
  if (words.size() > 2) args.ThrowUsage("writes one file, the second is " + words[2]);
  if (!words[1].ends_with(".onnx"))
    args.ThrowUsage(StrCat("the file to write must end with .onnx, is ", words[1]));
}

void CheckTensorBoardUsage(const Arguments& args) {
  const std::vector<std::string>& words = args.operands();
  if (words.size() < 2)
    args.ThrowUsage("the workspace is missing: singa export tensorboard WORKSPACE");
  if (words.size() > 3) args.ThrowUsage("writes to one folder, the second is " + words[3]);
  for (const char* flag : {"conf", "checkpoint", "layer", "set", "plugin"})
    if (args.Has(flag)) args.ThrowUsage(StrCat("-", flag, " is for onnx"));
}

// Loads params from `files`. `given`: -checkpoint named them.
InitReport Load(const JobProto& job, const std::vector<std::string>& files, bool given,
                ParamTable* params) {
  StepState state;
  Context ctx;
  ctx.seed = job.seed();
  ctx.state = &state;
  AllocateParams(0, *params);
  try {
    return InitParams(ctx, files, params);
  } catch (const ConfigError& error) {
    if (!given || !error.path().starts_with("checkpoint_path")) throw;
    throw Error(error.code(), "-checkpoint: " + error.message());
  }
}

// Throws unless all params of the graph were loaded, as nobody would notice random values.
void RequireLoaded(const InitReport& report, const ParamTable& params, const OnnxGraph& graph,
                   const std::string& checkpoint) {
  std::string missing;
  const std::set<const Param*> used = graph.params();
  for (const auto& param : params.params()) {
    const auto& names = report.initialised;
    if (used.count(param.get()) &&
        std::find(names.begin(), names.end(), param->name()) != names.end())
      missing += StrCat(missing.empty() ? "" : ", ", param->name());
  }
  if (!missing.empty())
    throw DataError(checkpoint, -1, StrCat("has no value for these params: ", missing));
}

int ExportOnnx(const JobProto& job, const Arguments& args) {
  const std::string& out = args.operands()[1];
  const auto warn = [](const std::string& text) { LOG(WARNING) << text; };
  const std::string given = args.Get("checkpoint");
  std::vector<std::string> files;
  ParamTable params;
  const Net net = NetToExport(job.neuralnet(), &params);
  const InitReport report =
      UseTrained([&] { return FilesToUse(job, given, args.Settings(), warn); },
                 [&](const std::vector<std::string>& found) {
                   return Load(job, files = found, !given.empty(), &params);
                 });
  OnnxGraph graph = ExportNet(net, args.Get("layer"));
  RequireLoaded(report, params, graph, files.back());
  if (report.version > 0) graph.Describe("step", StrCat(report.version));
  PosixFileSystem disk;
  NewFile file(&disk, out);
  file.Write(graph.Serialize(job.name()));
  file.Commit();
  if (files != std::vector<std::string>{given})
    for (const std::string& used : files)
      std::fprintf(stderr, "params from %s\n", Printable(used).c_str());
  std::fprintf(stderr, "%s: %s\n", out.c_str(), graph.Summary().c_str());
  return kExitOk;
}

}  // namespace

int ExportCommand(const std::vector<std::string>& words) {
  const Arguments args("export", words,
                       {.values = {"conf", "checkpoint", "layer"}, .repeated = {"set", "plugin"}});
  if (!args.operands().empty() && args.operands()[0] == "tensorboard") {
    CheckTensorBoardUsage(args);
    return ExportTensorBoard(args);
  }
  CheckUsage(args);
  return WithJob(args.Get("conf"), args.Settings(), {.use = JobUse::kTest},
                 [&](const JobProto& job) { return ExportOnnx(job, args); });
}

namespace {

constexpr const char* kExportHelp =
    R"(usage: singa export onnx -conf FILE [-checkpoint PATH] [-layer NAME] [-set PATH=VALUE]...
                         OUT.onnx
       singa export tensorboard WORKSPACE [FOLDER]

onnx writes the net of the test phase with the parameters of a checkpoint as an ONNX model, opset 17.

  -checkpoint PATH   as in checkpoint_path: a workspace, whose newest intact checkpoint is
                     used, a folder step<N>, a .safetensors file, or a file of SINGA 0.3;
                     if not given, the job's workspace, or else its checkpoint_path, which goes
                     first if -set gives it
  -layer NAME        the layer whose feature is the output; if not given, the scores that the loss
                     reads and, for a kSoftmaxLoss or kSigmoidCrossEntropyLoss, as second output
                     the probabilities

The input has the name of the input layer and takes records as a store holds them: pixels from 0 to
255 as float, (N, channels, height, width), N free. Mean, scale and crop of the job are part of the
model, and also in its metadata. Outputs have their layers' names. conf/guide/onnx.md lists
the layers that have a form in ONNX. A net on a text takes indices of characters, int64, (T, N), and
gives (T, N, k), N and in most nets T free; a state that carry_state keeps goes in as NAME.state and
comes out as NAME.next_state.

tensorboard writes the rows of WORKSPACE/metrics.jsonl to a file events.out.tfevents.* in FOLDER, or
in the workspace, for TensorBoard. A folder that has such files already is an error (73). A job with
tensorboard: true writes such a file while it trains.

Exit code 65: the checkpoint is damaged, or lacks parameters, or there is no row; 66: a file is
missing; 78: the job has mistakes, or a layer
that ONNX has no form for.
)";

SINGA_REGISTER_SUBCOMMAND(export,
                          {.place = 80,
                           .name = "export",
                           .operands = "",
                           .brief = "onnx: the trained net; tensorboard: the rows of metrics",
                           .reads = Subcommand::kItsOwn,
                           .options = {},
                           .alone = true,
                           .help = kExportHelp,
                           .run = [](const CommandLine& line) {
                             return ExportCommand(line.args);
                           }});

}  // namespace

}  // namespace singa
