#include "driver/predict/predict_command.h"

#include <glog/logging.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/file/input_file.h"
#include "base/text/counted.h"
#include "driver/command/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/conf/check_job.h"
#include "driver/facts/compare_facts.h"
#include "driver/job/run_job.h"
#include "driver/predict/predict_help.h"
#include "driver/predict/predict_request.h"
#include "driver/predict/prediction_output.h"
#include "driver/predict/predictor.h"
#include "driver/predict/text_generator.h"
#include "driver/predict/text_predictor.h"
#include "io/checkpoint/trained_classes.h"
#include "io/picture/image_decoder.h"
#include "io/vocabulary.h"
#include "nn/graph/graph.h"
#include "nn/graph/judged_output.h"
#include "nn/input/store_settings.h"
#include "singa/nn/record_reader.h"

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

void Warn(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) LOG(WARNING) << text;
}

// Shows which values are used, if the call or the job leaves a choice.
void ShowFiles(const JobProto& job, const Arguments& args, const std::vector<std::string>& files) {
  const std::string asked = args.Get("checkpoint");
  if (asked.empty() ? job.checkpoint_path_size() == 0 : files[0] == asked) return;
  for (const std::string& file : files)
    std::fprintf(stderr, "params from %s\n", Printable(file).c_str());
}

// Finds the layer of this name in the test phase, and its path.
void SetInput(const NetProto& net, const std::string& name, SourceOptions* source) {
  for (int i = 0; i < net.layer_size(); ++i) {
    if (!InPhase(net.layer(i), kTest) || net.layer(i).name() != name) continue;
    source->input = net.layer(i);
    source->input_path = "neuralnet." + LayerPaths(net.layer())[i];
    return;
  }
}

// Returns the file of the net's characters; "": the net reads no text.
std::string VocabularyOf(const LayerProto& input) {
  if (input.has_user_type()) return "";
  const std::unique_ptr<Layer> layer = MakeLayer(input);
  const RecordReader* const reader = layer->reader();
  return reader ? reader->VocabularyPath(input) : "";
}

void PredictText(const Model& model, PredictRequest request, const Arguments& args) {
  for (const char* flag : {"from", "labels"})
    if (args.Has(flag))
      args.ThrowUsage(StrCat("-", flag, " is for stores: INPUT of a ",
                             LayerType_Name(request.source.input.type()), " is a text"));
  SessionOptions& session = request.session;
  session.one_sequence = model.carries_state();
  if (session.one_sequence && session.max_batch > 1)
    args.ThrowUsage("-batch must be 1 for a net that carries its state through the text");
  if (session.max_batch == 0) session.max_batch = session.one_sequence ? 1 : model.batch();
  const Vocabulary vocabulary(VocabularyOf(request.source.input));
  std::vector<std::string> characters;
  characters.reserve(vocabulary.size());
  for (int i = 0; i < vocabulary.size(); ++i)
    characters.push_back(CharacterName(static_cast<uint8_t>(vocabulary.Character(i))));
  const bool each_step = model.output_steps() == model.input_steps();
  const bool next = model.classifies() && each_step && request.source.outputs == vocabulary.size();
  if (next) request.format.classes = characters;
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
  output.Finish(predictor.hits(), "characters");
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

// Returns the classes in the checkpoint, or else those of the current training store.
std::vector<std::string> ClassesOf(const Model& model, const NetProto& net,
                                   std::vector<std::string>* warnings) {
  std::vector<std::string> trained = TrainedClasses(model.files());
  if (trained.empty()) return ClassNames(net, warnings);
  std::vector<std::string> ignored;
  const std::string label = OtherLabel(trained, ClassNames(net, &ignored), "in the checkpoint");
  if (!label.empty())
    warnings->push_back("the training store has changed: " + label +
                        "; labels are those of the checkpoint");
  return trained;
}

// Returns what the losses compare the output with. For a report it must be the records' label or
// targets.
JudgedOutput Judged(const Model& model, const PredictRequest& request, const NetProto& net,
                    const Arguments& args) {
  try {
    return FindJudged(net, {.name = model.layer(),
                            .input = model.input_layer(),
                            .input_targets = SettingsOf(request.source.input).conf.num_targets(),
                            .size = model.output_size(),
                            .steps = model.output_steps()});
  } catch (const ConfigError& error) {
    if (!request.report) return {};
    args.ThrowUsage("-report: " + error.message());
  }
}

void CheckReport(const PredictRequest& request, const JudgedOutput& judged, const Arguments& args) {
  if (request.report && request.format.top > 0 && judged.kind != JudgedOutput::kClasses)
    args.ThrowUsage("-topk is for a -report of classes");
}

void PredictRecords(const Model& model, PredictRequest request, const JudgedOutput& judged,
                    const NetProto& net) {
  std::vector<std::string> warnings;
  if (request.session.max_batch == 0) request.session.max_batch = model.batch();
  request.source.shape = model.input_shape();
  request.source.targets = request.report && judged.targets > 0;
  const std::vector<std::string> classes = ClassesOf(model, net, &warnings);
  Warn(warnings);
  if (model.classifies() && static_cast<int64_t>(classes.size()) == request.source.outputs)
    request.source.classes = request.format.classes = classes;
  if (PictureChannels(request.source.shape) == 3 ||
      SettingsOf(request.source.input).conf.header())  // colours or columns are compared
    request.source.training = PeekTraining(net);
  request.format.targets = TargetNames(request.source, judged);
  request.format.steps = model.output_steps() > 1;
  PredictionOutput output(request, model, judged, request.source.outputs);
  Predictor predictor(model, request.session, request.format.top, output.sink());
  for (const std::string& input : request.inputs) {
    warnings.clear();
    const std::unique_ptr<RecordSource> source = OpenSource(input, request.source, &warnings);
    Warn(warnings);
    predictor.Run(source.get());
    output.EndInput(input);
  }
  output.Finish(predictor.hits(), request.format.steps ? "time steps" : "records");
}

// Loads the model. A wrong output is reported as a mistake of the option, not of the job.
Model LoadModel(const JobProto& job, const ModelOptions& options, const Arguments& args) {
  try {
    return Model(job, options);
  } catch (const ConfigError& error) {
    const bool of_net = error.path() == "neuralnet";
    if (error.code() == kExitUsage)
      args.ThrowUsage(options.layer.empty()
                          ? StrCat("the net ", error.message(), ", by -layer NAME")
                          : "-layer: " + error.message());
    if (!of_net || options.layer.empty()) throw;
    throw Error(error.code(), "-layer: " + error.message());
  }
}

int Predict(const JobProto& job, const Arguments& args) {
  PredictRequest request = ReadPredictRequest(args, job.seed());
  CheckExist(request.inputs);
  const Model model = LoadModel(job, request.model, args);
  Warn(model.warnings());
  ShowFiles(job, args, model.files());
  SetInput(job.neuralnet(), model.input_layer(), &request.source);
  request.source.outputs = model.output_size() / model.output_steps();
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
  if (!VocabularyOf(request.source.input).empty())
    PredictText(model, std::move(request), args);
  else
    PredictRecords(model, std::move(request), judged, job.neuralnet());
  return kExitOk;
}

}  // namespace

int PredictCommand(const std::vector<std::string>& args) {
  const Arguments arguments(
      "predict", args,
      {.values = {"conf", "checkpoint", "layer", "topk", "format", "batch", "from", "labels",
                  "generate", "prime", "temperature", "seed", "worst"},
       .switches = {"no_labels", "report"},
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
     .brief = "predict records or the characters of a text, or write a text, with a trained net",
     .reads = Subcommand::kItsOwn,
     .options = {},
     .alone = true,
     .help = kPredictHelp,
     .run = [](const CommandLine& line) { return PredictCommand(line.args); }});

}  // namespace

}  // namespace singa
