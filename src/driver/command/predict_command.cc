#include "driver/command/predict_command.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file/input_file.h"
#include "base/text/counted.h"
#include "driver/arguments/arguments.h"
#include "driver/command/predict_help.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/http/http_place.h"
#include "driver/job/run_job.h"
#include "driver/predict/predict_request.h"
#include "driver/predict/predict_setup.h"
#include "driver/predict/prediction_output.h"
#include "driver/predict/predictor.h"
#include "driver/predict/skipping_source.h"
#include "driver/predict/text_generator.h"
#include "driver/predict/text_predictor.h"
#include "driver/predict/unknown_words.h"
#include "driver/serve/serve_predictions.h"
#include "io/vocabulary.h"
#include "nn/input/store_settings.h"

namespace singa {
namespace {

void CheckExist(const std::vector<std::string>& inputs) {
  std::error_code error;
  for (const std::string& input : inputs)
    if (input != "-" && !std::filesystem::exists(input, error)) {
      if (error) ThrowInputError(input, "", error.value());
      throw FileError(kExitNoInput, input, "does not exist");
    }
}

// Shows which values are used, if the call or the job leaves a choice.
void ShowFiles(const JobProto& job, const Arguments& args, const std::vector<std::string>& files) {
  const std::string asked = args.Get("checkpoint");
  if (asked.empty() ? job.checkpoint_path_size() == 0 : files[0] == asked) return;
  for (const std::string& file : files)
    std::fprintf(stderr, "params from %s\n", Printable(file).c_str());
}

void PredictText(const Model& model, PredictRequest request, const Arguments& args) {
  for (const char* flag : {"from", "labels", "id"})
    if (args.Has(flag))
      args.ThrowUsage(StrCat("-", flag, " is for stores: INPUT of a ",
                             LayerType_Name(request.source.input.type()), " is a text"));
  SessionOptions& session = request.session;
  session.one_sequence = model.carries_state();
  if (session.one_sequence && session.max_batch > 1)
    args.ThrowUsage("-batch must be 1 for a net that carries its state through the text");
  if (session.max_batch == 0) session.max_batch = session.one_sequence ? 1 : model.batch();
  const Vocabulary vocabulary(VocabularyOf(request.source.input));
  const bool each_step = model.output_steps() == model.input_steps();
  const bool next = NameCharacters(model, vocabulary, &request);
  if (request.report && !next)
    args.ThrowUsage(StrCat("-report: layer \"", model.layer(),
                           "\" gives no probability for each character that may follow"));
  const int64_t width = each_step ? request.source.outputs : model.output_size();
  PredictionOutput output(request, model, {}, width);
  TextPredictor predictor(model, vocabulary, session, request.source.labels, request.format.top,
                          output.sink());
  for (const std::string& input : request.inputs) {
    predictor.Run(input);
    output.EndInput(input);
  }
  output.Finish(predictor.hits(), "character");
}

void GenerateText(const Model& model, const PredictRequest& request, const Arguments& args) {
  const std::string path = VocabularyOf(request.source.input);
  if (path.empty())
    args.ThrowUsage(StrCat("-generate is for a net that reads a text (kCharRNN): layer \"",
                           model.input_layer(), "\" reads none"));
  const Vocabulary vocabulary(path);
  if (!model.classifies())
    args.ThrowUsage(StrCat("-generate: layer \"", model.layer(),
                           "\" gives no probability for each character of ", vocabulary.path()));
  if (request.source.outputs != vocabulary.size())
    throw DataError(vocabulary.path(), -1,
                    StrCat("has ", Counted(vocabulary.size(), "character"), ", layer \"",
                           model.layer(), "\" gives ", Counted(request.source.outputs, "score")));
  TextGenerator(model, vocabulary, *request.generate, request.session.threads).Run();
}

void CheckReport(const PredictRequest& request, const JudgedOutput& judged, const Arguments& args) {
  if (request.report && request.format.top > 0 && judged.kind != JudgedOutput::kClasses)
    args.ThrowUsage("-topk is for a -report of classes");
}

void PredictRecords(const Model& model, PredictRequest request, const JudgedOutput& judged) {
  if (request.session.max_batch == 0) request.session.max_batch = model.batch();
  std::vector<std::string> warnings;
  PredictionOutput output(request, model, judged, request.source.outputs);
  Predictor predictor(model, request.session, request.format.top, output.sink());
  BadRecordCount bad{.most = MaxBadOf(SettingsOf(request.source.input).conf)};
  for (const std::string& input : request.inputs) {
    warnings.clear();
    const std::unique_ptr<RecordSource> source =
        WarnOfUnknownWords(SkipBadRecords(OpenSource(input, request.source, &warnings), &bad));
    LogWarnings(warnings);
    predictor.Run(source.get());
    output.EndInput(input);
  }
  output.Finish(predictor.hits(), request.format.steps ? "time step" : "record");
}

// Prepares the answers to requests, and answers them until a signal comes.
void Serve(const Model& model, PredictRequest request, const JobProto& job, HttpPlace* place) {
  if (request.session.max_batch == 0) request.session.max_batch = model.batch();
  std::optional<Vocabulary> vocabulary;
  const std::string path = VocabularyOf(request.source.input);
  if (!path.empty()) NameCharacters(model, vocabulary.emplace(path), &request);
  ServePredictions({.model = model,
                    .request = request,
                    .vocabulary = vocabulary ? &*vocabulary : nullptr,
                    .name = job.name()},
                   place);
}

int Predict(const JobProto& job, const Arguments& args) {
  PredictRequest request = ReadPredictRequest(args, job.seed());
  CheckExist(request.inputs);
  std::optional<HttpPlace> place;
  if (request.serve) place.emplace(args, "singa predict -serve", kServePort);
  const Model model = LoadModel(job, request.model, args);
  LogWarnings(model.warnings());
  ShowFiles(job, args, model.files());
  DescribeInput(model, job.neuralnet(), &request.source);
  if (request.format.top > request.source.outputs)
    args.ThrowUsage(StrCat("-topk must be at most ", request.source.outputs,
                           ", the outputs of layer ", model.layer(), ", is ", request.format.top));
  request.session.threads = WorkerThreads(job, 0);
  if (request.generate) {
    GenerateText(model, request, args);
    return kExitOk;
  }
  const JudgedOutput judged = Judged(model, request, job.neuralnet(), args);
  CheckReport(request, judged, args);
  const bool text = !VocabularyOf(request.source.input).empty();
  if (!text) DescribeRecords(model, judged, job.neuralnet(), &request);
  if (request.serve)
    Serve(model, std::move(request), job, &*place);
  else if (text)
    PredictText(model, std::move(request), args);
  else
    PredictRecords(model, std::move(request), judged);
  return kExitOk;
}

}  // namespace

int PredictCommand(const std::vector<std::string>& args) {
  const Arguments arguments(
      "predict", args,
      {.values = {"conf", "checkpoint", "layer", "topk", "format", "batch", "from", "labels", "id",
                  "generate", "prime", "temperature", "seed", "worst", "host", "port"},
       .switches = {"no_labels", "report", "serve"},
       .repeated = {"set", "plugin"}});
  if (!arguments.Has("conf"))
    arguments.ThrowUsage("-conf is missing: singa predict -conf job.conf INPUT");
  return WithJob(arguments.Get("conf"), arguments.Settings(), {.use = JobUse::kTest},
                 [&](const JobProto& job) { return Predict(job, arguments); });
}

namespace {

SINGA_REGISTER_SUBCOMMAND(
    predict,
    {.place = 50,
     .name = "predict",
     .operands = "",
     .brief = "predict records or the characters of a text, write a text, or answer over HTTP",
     .reads = Subcommand::kItsOwn,
     .options = {},
     .alone = true,
     .help = kPredictHelp,
     .run = [](const CommandLine& line) { return PredictCommand(line.args); }});

}  // namespace

}  // namespace singa
