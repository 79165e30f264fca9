#include "driver/export_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "driver/conf/check_job.h"
#include "driver/onnx/net_export.h"
#include "io/new_file.h"
#include "nn/plan/net_builder.h"
#include "train/init_params.h"

namespace singa {
namespace {

[[noreturn]] void ThrowUsage(const std::string& why) {
  throw Error(kExitUsage, StrCat("export: ", why,
                                 "\nusage: singa export onnx -conf FILE -checkpoint PATH "
                                 "[-layer NAME] [-set PATH=VALUE]... OUT.onnx"));
}

void CheckUsage(const CommandLine& line) {
  if (line.args.empty() || line.args[0] != "onnx")
    ThrowUsage(line.args.empty() ? "to which format? onnx"
                                 : StrCat("the format must be onnx, is ", line.args[0]));
  if (line.args.size() != 2) ThrowUsage("it takes one file to write");
  if (line.checkpoint.empty()) ThrowUsage("-checkpoint is missing: whose params?");
  if (!line.args[1].ends_with(".onnx"))
    ThrowUsage(StrCat("the file to write must end with .onnx, is ", line.args[1]));
}

InitReport Load(const JobProto& job, const std::string& checkpoint, ParamTable* params) {
  StepState state;
  Context ctx;
  ctx.seed = job.seed();
  ctx.state = &state;
  for (const auto& param : params->params()) param->data = Tensor::Allocate(param->shape());
  try {
    return InitParams(ctx, {checkpoint}, params);
  } catch (const ConfigError& error) {
    if (!error.path().starts_with("checkpoint_path")) throw;
    throw Error(error.code(), "-checkpoint: " + error.message());
  }
}

// A random value in an exported net would go unnoticed.
void RequireLoaded(const InitReport& report, const OnnxGraph& graph,
                   const std::string& checkpoint) {
  std::string missing;
  for (const auto& [key, name] : graph.weights()) {
    const auto& names = report.initialised;
    if (std::find(names.begin(), names.end(), key.first->name()) != names.end())
      missing += StrCat(missing.empty() ? "" : ", ", key.first->name());
  }
  if (!missing.empty())
    throw DataError(checkpoint, -1, StrCat("has no value for these params: ", missing));
}

void ExportOnnx(const JobProto& job, const CommandLine& line) {
  NetOptions options;
  options.phase = kTest;
  options.gradients = false;
  ParamTable params;
  ConfigErrors errors;
  const Net net = BuildNet(job.neuralnet(), options, {&params}, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  const InitReport report = Load(job, line.checkpoint, &params);
  OnnxGraph graph = ExportNet(net, line.layer);
  RequireLoaded(report, graph, line.checkpoint);
  if (report.version > 0) graph.Describe("step", StrCat(report.version));
  PosixFileSystem disk;
  NewFile file(&disk, line.args[1]);
  file.Write(graph.Serialize(job.name()));
  file.Commit();
  std::fprintf(stderr, "%s: %s\n", line.args[1].c_str(), graph.Summary().c_str());
}

}  // namespace

int ExportCommand(const CommandLine& line) {
  CheckUsage(line);
  CheckOptions options;
  options.use = JobUse::kTest;
  const std::unique_ptr<CheckedJob> checked = CheckJob(line.conf, line.sets, options);
  std::fputs(checked->conf.Render().c_str(), stderr);
  if (!checked->conf.ok()) return checked->conf.exit_code();
  try {
    ExportOnnx(checked->job, line);
  } catch (const ConfigError& error) {
    std::fputs(checked->conf.Render(error).c_str(), stderr);
    return error.code();
  }
  return kExitOk;
}

}  // namespace singa
