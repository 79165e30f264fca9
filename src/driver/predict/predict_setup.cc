#include "driver/predict/predict_setup.h"

#include <glog/logging.h>

#include <memory>
#include <utility>

#include "driver/facts/compare_facts.h"
#include "io/checkpoint/trained_classes.h"
#include "io/picture/image_decoder.h"
#include "nn/graph/graph.h"
#include "nn/input/store_settings.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

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

}  // namespace

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

void LogWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) LOG(WARNING) << text;
}

void DescribeInput(const Model& model, const NetProto& net, SourceOptions* source) {
  source->outputs = model.output_size() / model.output_steps();
  for (int i = 0; i < net.layer_size(); ++i) {
    if (!InPhase(net.layer(i), kTest) || net.layer(i).name() != model.input_layer()) continue;
    source->input = net.layer(i);
    source->input_path = "neuralnet." + LayerPaths(net.layer())[i];
    return;
  }
}

std::string VocabularyOf(const LayerProto& input) {
  if (input.has_user_type()) return "";
  const std::unique_ptr<Layer> layer = MakeLayer(input);
  const RecordReader* const reader = layer->reader();
  return reader ? reader->VocabularyPath(input) : "";
}

bool NameCharacters(const Model& model, const Vocabulary& vocabulary, PredictRequest* request) {
  const bool each_step = model.output_steps() == model.input_steps();
  if (!model.classifies() || !each_step || request->source.outputs != vocabulary.size())
    return false;
  request->format.classes.clear();
  for (int i = 0; i < vocabulary.size(); ++i)
    request->format.classes.push_back(CharacterName(static_cast<uint8_t>(vocabulary.Character(i))));
  return true;
}

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

void DescribeRecords(const Model& model, const JudgedOutput& judged, const NetProto& net,
                     PredictRequest* request) {
  std::vector<std::string> warnings;
  SourceOptions& source = request->source;
  source.shape = model.input_shape();
  source.targets = request->report && judged.targets > 0;
  const std::vector<std::string> classes = ClassesOf(model, net, &warnings);
  LogWarnings(warnings);
  if (model.classifies() && static_cast<int64_t>(classes.size()) == source.outputs)
    source.classes = request->format.classes = classes;
  if (PictureChannels(source.shape) == 3 ||
      SettingsOf(source.input).conf.header())  // colours or columns are compared
    source.training = PeekTraining(net);
  request->format.targets = TargetNames(source, judged);
  request->format.steps = model.output_steps() > 1;
}

}  // namespace singa
