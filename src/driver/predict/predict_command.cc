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
#include "driver/predict/predict_request.h"
#include "driver/predict/predictor.h"
#include "driver/predict/text_generator.h"
#include "driver/predict/text_predictor.h"
#include "io/checkpoint/trained_classes.h"
#include "io/picture/image_decoder.h"
#include "io/vocabulary.h"
#include "nn/graph/graph.h"
#include "nn/input/store_settings.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

constexpr const char kHelp[] =
    R"(usage: singa predict -conf FILE [-checkpoint C] [flags] INPUT...
       singa predict -conf FILE [-checkpoint C] -generate N [-prime TEXT] [-temperature X] [-seed S]

Prints what a trained net says of each record, a line each; of each character of a text, where the
net reads one (kCharRNN). With -generate a net that reads a text writes one.

  -conf FILE       the job that trained it; its test phase says how records are prepared
  -checkpoint C    a checkpoint's folder, a .safetensors file, a file of SINGA 0.3, or a workspace,
                   whose newest intact checkpoint is taken; if not given, the job's workspace, or
                   else its checkpoint_path, which goes first where -set gives it. stderr says which
                   it is where there is a choice
  -layer NAME      whose output is printed; if not given, the probabilities where the loss is
                   kSoftmaxLoss or kSigmoidCrossEntropyLoss, of another loss what it compares with
                   the target
  -topk N          only the N best classes, best first
  -format csv      (if not given) a header, then record,label,score,score,... or with -topk
                   record,label,class1,score1,...; the label is empty where a record has none.
                   Columns of targets have the names of the training table's header, else target0,
                   target1, ...
  -format json     {"record":"a.png","label":3,"scores":[...]}, or with -topk
                   {"record":"a.png","top":[{"class":3,"score":0.98},...]}
  -set PATH=VALUE  override a field of the job; any number of times. gpu=0 computes on that GPU, as
                   does gpu: 0 in the job
  -batch N         records at a time; as the job's test phase if not given. 1: each line of stdin
                   is answered before the next is read
  -from FORMAT     of INPUT: idx, kvfile, textfile, cifar10, imagefolder, imagelist, lmdb, shard;
                   judged by content if not given
  -labels FILE     labels of the one idx INPUT; found by name for MNIST's files
  -no_labels       leaves labels out; an imagelist that has none needs it

  -generate N      writes N characters to stdout, each drawn by its probability; N >= 1
  -prime TEXT      the beginning that the net continues; not written. A newline if not given, which
                   the vocabulary must then have
  -temperature X   divides the logarithms of the probabilities before a character is drawn: below 1
                   likely ones become more likely; > 0, 1 if not given
  -seed S          one seed gives one text; the job's seed if not given

INPUT is a picture (JPEG, PNG, WebP, BMP, TIFF) of the size that the net takes, a folder of
pictures, a folder or an uncompressed tar of class folders, a store of records, or - for lines of
numbers on stdin. Where the first line has one number more than the net takes, every line has a
label, first or in label_column. Classes have names where the job reads class folders that are still
there. Where records have labels of classes, stderr shows the accuracy at the end.

Of a layer that is unrolled each record has a line for each time step, counted behind its name:
record,step,label,score,...; in JSON "step":0. A record holds all that the input layer reads.

Where the input layer is kCharRNN, INPUT is a text of any length, or - for one on stdin, of
characters of the job's vocabulary, which must be there. A line shows which character it is of,
TEXT:BYTE from 0, the character that follows as its label, and the scores of all characters in its
place, given those before it: with carry_state all of the text, without only those of the same window
of unroll_len. A layer of one step has a line for each whole window, and so has a net where a step
depends on later ones. Characters that cannot be printed are shown as in C: \n. A text takes no -from
and no -labels; -batch is of windows, and 1 where a state is carried.

-generate is for a kCharRNN, and for layers whose time steps do not depend on later ones. The net
computes one time step for each character and keeps what it needs of the steps before: the state of
kGRU, kLSTM and kRNN, and the keys and values of kAttention. With kAttention or kPositionEmbedding
it begins anew with the last half of a window of unroll_len characters when the window is full.

Exit code 65: a damaged record, one of the wrong size, or a character that the vocabulary lacks,
after the lines of what stands before it; 66: an INPUT or the checkpoint is missing;
69: the GPU is not there, or too small; 78: the job has mistakes; 79: a score is nan or inf, after
all lines are written.
)";

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
  if (model.classifies() && each_step && request.source.outputs == vocabulary.size())
    request.format.classes = characters;
  TextPredictor predictor(model, vocabulary, session, request.source.labels, request.format);
  for (const std::string& input : request.inputs) predictor.Run(input);
  predictor.hits().Show("characters");
  predictor.RequireFinite();
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

void PredictRecords(const Model& model, PredictRequest request, const NetProto& net) {
  std::vector<std::string> warnings;
  if (request.session.max_batch == 0) request.session.max_batch = model.batch();
  request.source.shape = model.input_shape();
  const std::vector<std::string> classes = ClassesOf(model, net, &warnings);
  Warn(warnings);
  if (model.classifies() && static_cast<int64_t>(classes.size()) == request.source.outputs)
    request.source.classes = request.format.classes = classes;
  if (PictureChannels(request.source.shape) == 3 ||
      SettingsOf(request.source.input).conf.header())  // colours or columns are compared
    request.source.training = PeekTraining(net);
  request.format.targets = TargetNames(net, model.layer(), request.source);
  request.format.steps = model.output_steps() > 1;
  Predictor predictor(model, request.session, request.format);
  for (const std::string& input : request.inputs) {
    warnings.clear();
    const std::unique_ptr<RecordSource> source = OpenSource(input, request.source, &warnings);
    Warn(warnings);
    predictor.Run(source.get());
  }
  predictor.hits().Show(request.format.steps ? "time steps" : "records");
  predictor.RequireFinite();
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
  if (request.generate)
    GenerateText(model, request, args);
  else if (!VocabularyOf(request.source.input).empty())
    PredictText(model, std::move(request), args);
  else
    PredictRecords(model, std::move(request), job.neuralnet());
  return kExitOk;
}

}  // namespace

int PredictCommand(const std::vector<std::string>& args) {
  const Arguments arguments(
      "predict", args,
      {.values = {"conf", "checkpoint", "layer", "topk", "format", "batch", "from", "labels",
                  "generate", "prime", "temperature", "seed"},
       .switches = {"no_labels"},
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
     .help = kHelp,
     .run = [](const CommandLine& line) { return PredictCommand(line.args); }});

}  // namespace

}  // namespace singa
