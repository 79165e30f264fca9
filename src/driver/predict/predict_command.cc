#include "driver/predict/predict_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/input_file.h"
#include "driver/arguments.h"
#include "driver/conf/check_job.h"
#include "driver/job/run_job.h"
#include "driver/predict/prediction_writer.h"
#include "driver/predict/record_source.h"
#include "math/top_k.h"
#include "singa/driver/model.h"

namespace singa {
namespace {

constexpr const char kHelp[] =
    R"(usage: singa predict -conf FILE [-checkpoint C] [flags] INPUT...

Prints what a trained net says of each record, a line each.

  -conf FILE       the job that trained it; its test phase says how records are prepared
  -checkpoint C    a checkpoint's folder, a .safetensors file, a file of SINGA 0.3, or a workspace,
                   whose newest intact checkpoint is taken; if not given, checkpoint_path of the
                   job, or else its workspace
  -layer NAME      whose output is printed; if not given, the probabilities where the loss is
                   kSoftmaxLoss, of another loss what it compares with the target
  -topk N          only the N best classes, best first
  -format csv      (if not given) a header, then record,label,score,score,... or with -topk
                   record,label,class1,score1,...; the label is empty where a record has none
  -format json     {"record":"a.png","label":3,"scores":[...]}, or with -topk
                   {"record":"a.png","top":[{"class":3,"score":0.98},...]}
  -set PATH=VALUE  override a field of the job; any number of times
  -batch N         records at a time; as the job's test phase if not given. 1: each line of stdin
                   is answered before the next is read
  -from FORMAT     of INPUT: idx, kvfile, textfile, cifar10, imagefolder, lmdb, shard; judged by
                   content if not given
  -labels FILE     labels of the one idx INPUT; found by name for MNIST's files
  -no_labels       leaves labels out

INPUT is a picture (JPEG or PNG) of the size that the net takes, a folder of pictures, a folder or
an uncompressed tar of class folders, a store of records, or - for lines of numbers on stdin. Where
the first line has one number more than the net takes, every line begins with a label. Classes have
names where the job reads class folders that are still there. Where records have labels of classes,
stderr shows the accuracy at the end.

Exit code 65: a damaged record, or one of the wrong size; 66: an INPUT or the checkpoint is missing;
78: the job has mistakes.
)";

// What is asked for.
struct Request {
  ModelOptions model;
  SessionOptions session;
  SourceOptions source;
  PredictionFormat format;
  std::vector<std::string> inputs;
};

int64_t AtLeastOne(const Arguments& args, const std::string& flag) {
  const auto number = args.ToNumber<int32_t>(flag, args.Get(flag));
  if (number < 1) args.ThrowUsage(StrCat("-", flag, " must be >= 1, is ", number));
  return number;
}

Request ReadRequest(const Arguments& args) {
  Request request;
  request.model = {.checkpoint = args.Get("checkpoint"), .layer = args.Get("layer")};
  const std::string format = args.Get("format", "csv");
  if (format != "csv" && format != "json")
    args.ThrowUsage("-format must be csv or json, is \"" + format + "\"");
  request.format.json = format == "json";
  if (args.Has("topk")) request.format.top = AtLeastOne(args, "topk");
  if (args.Has("batch")) request.session.max_batch = AtLeastOne(args, "batch");
  request.source.backend = args.Get("from");
  request.source.label_path = args.Get("labels");
  request.source.labels = !args.Has("no_labels");
  if (args.Get("from") == "synthetic") args.ThrowUsage("-from: synthetic records are no INPUT");
  try {
    if (args.Has("from")) CheckBackend(args.Get("from"));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-from: " + error.message());
  }
  request.inputs = args.operands();
  if (request.inputs.empty()) args.ThrowUsage("needs an INPUT");
  if (args.Has("labels") && request.inputs.size() > 1) args.ThrowUsage("-labels is of one INPUT");
  if (std::count(request.inputs.begin(), request.inputs.end(), "-") > 1)
    args.ThrowUsage("stdin can be read once");
  return request;
}

void CheckExist(const std::vector<std::string>& inputs) {
  std::error_code error;
  for (const std::string& input : inputs)
    if (input != "-" && !std::filesystem::exists(input, error)) {
      if (error) ThrowInputError(input, "", error.value());
      throw FileError(kExitNoInput, input, "does not exist");
    }
}

void Warn(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings)
    std::fprintf(stderr, "singa: warning: %s\n", text.c_str());
}

// Hits of the records that have labels.
struct Accuracy {
  int64_t labels = 0;
  double hits = 0, hits_in_top = 0;

  void Show(int64_t top) const {
    if (labels == 0) return;
    const auto n = static_cast<double>(labels);
    std::fprintf(stderr, "accuracy %.4f", hits / n);
    if (top > 1)
      std::fprintf(stderr, ", among the best %lld %.4f", static_cast<long long>(top),
                   hits_in_top / n);
    std::fprintf(stderr, ", of %lld records with a label\n", static_cast<long long>(labels));
  }
};

// Gathers records into batches, computes them and writes what came out.
class Predictor {
 public:
  Predictor(const Model& model, const Request& request)
      : model_(model),
        session_(model, request.session),
        top_(request.format.top),
        batch_(static_cast<size_t>(request.session.max_batch)),
        writer_(request.format, model.output_size()) {
    rows_.reserve(batch_ * model.input_size());
    scores_.reserve(batch_ * model.output_size());
  }

  void Run(RecordSource* source) {
    while (Gather(source))
      if (names_.size() == batch_) Compute();
    Compute();
  }

  const Accuracy& accuracy() const { return accuracy_; }

 private:
  // Whether there was one more record. What stood before a bad one is computed.
  bool Gather(RecordSource* source) {
    try {
      const Sample* sample = source->Next();
      if (!sample) return false;
      CheckLabel(*source, sample->label);
      if (sample->data.empty())
        rows_.insert(rows_.end(), sample->pixel.begin(), sample->pixel.end());
      else
        rows_.insert(rows_.end(), sample->data.begin(), sample->data.end());
      names_.push_back(source->Name());
      labels_.push_back(sample->label);
      return true;
    } catch (const Error&) {
      Compute();
      throw;
    }
  }

  void CheckLabel(const RecordSource& source, int32_t label) const {
    if (model_.classifies() && label >= model_.output_size())
      throw DataError(source.Where(), -1,
                      StrCat("the label must be below ", model_.output_size(),
                             ", the number of classes, is ", label));
  }

  void Compute() {
    const auto width = static_cast<size_t>(model_.output_size());
    scores_.resize(names_.size() * width);
    session_.Run(rows_, scores_);
    for (size_t i = 0; i < names_.size(); ++i) {
      const std::span<const float> scores(scores_.data() + i * width, width);
      writer_.Write(names_[i], labels_[i], scores);
      if (model_.classifies() && labels_[i] >= 0) Count(scores, labels_[i]);
    }
    writer_.Flush();
    rows_.clear();
    names_.clear();
    labels_.clear();
  }

  void Count(std::span<const float> scores, int32_t label) {
    Context ctx;
    ++accuracy_.labels;
    CountTopK(ctx, scores.data(), &label, &accuracy_.hits, 1, model_.output_size(), 1);
    if (top_ > 1)
      CountTopK(ctx, scores.data(), &label, &accuracy_.hits_in_top, 1, model_.output_size(), top_);
  }

  const Model& model_;
  Session session_;
  const int64_t top_;
  const size_t batch_;
  PredictionWriter writer_;
  std::vector<float> rows_, scores_;
  std::vector<std::string> names_;
  std::vector<int32_t> labels_;
  Accuracy accuracy_;
};

// The test phase's input layer of the conf; none where it has no store.
LayerProto InputLayer(const NetProto& net) {
  for (const LayerProto& layer : net.layer())
    if (InPhase(layer, kTest) && layer.has_store_conf() && layer.srclayers_size() == 0)
      return layer;
  return {};
}

int Predict(const JobProto& job, const Arguments& args) {
  Request request = ReadRequest(args);
  CheckExist(request.inputs);
  const Model model(job, request.model);
  Warn(model.warnings());
  if (request.format.top > model.output_size())
    args.ThrowUsage(StrCat("-topk must be at most ", model.output_size(), ", the outputs of layer ",
                           model.layer(), ", is ", request.format.top));
  request.session.threads = WorkerThreads(job, 0);
  if (request.session.max_batch == 0) request.session.max_batch = model.batch();
  request.source.input = InputLayer(job.neuralnet());
  request.source.shape = model.input_shape();
  request.source.outputs = model.output_size();
  std::vector<std::string> warnings;
  const std::vector<std::string> classes = ClassNames(job.neuralnet(), &warnings);
  Warn(warnings);
  if (model.classifies() && static_cast<int64_t>(classes.size()) == model.output_size())
    request.source.classes = request.format.classes = classes;
  Predictor predictor(model, request);
  for (const std::string& input : request.inputs) {
    warnings.clear();
    const std::unique_ptr<RecordSource> source = OpenSource(input, request.source, &warnings);
    Warn(warnings);
    predictor.Run(source.get());
  }
  predictor.accuracy().Show(request.format.top);
  return kExitOk;
}

}  // namespace

std::string PredictHelp() { return kHelp; }

int PredictCommand(const std::vector<std::string>& args) {
  const Arguments arguments(
      "predict", args,
      {.values = {"conf", "checkpoint", "layer", "topk", "format", "batch", "from", "labels"},
       .switches = {"no_labels"},
       .repeated = {"set", "plugin"}});
  if (!arguments.Has("conf")) arguments.ThrowUsage("-conf is missing");
  return WithJob(arguments.Get("conf"), arguments.Settings(), {.use = JobUse::kTest},
                 [&](const JobProto& job) { return Predict(job, arguments); });
}

}  // namespace singa
