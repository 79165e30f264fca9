#include "driver/facts/compare_facts.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/text/counted.h"
#include "driver/facts/class_folders.h"
#include "driver/facts/compare_colours.h"
#include "io/table/csv_fields.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

std::string SizesText(const std::vector<int64_t>& sizes) {
  std::string text;
  for (int64_t size : sizes) text += StrCat(text.empty() ? "" : ", ", size);
  return text;
}

std::vector<int64_t> WithoutOnes(std::vector<int64_t> sizes) {
  std::erase(sizes, 1);
  return sizes;
}

// Returns whether the sizes are the same in another order, such as (28, 28, 3) for (3, 28, 28), so
// that numbers would be read wrongly.
bool IsOtherOrder(const std::vector<int64_t>& one, const std::vector<int64_t>& two) {
  std::vector<int64_t> a = WithoutOnes(one), b = WithoutOnes(two);
  if (a == b) return false;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a.size() > 1 && a == b;
}

void CheckShape(const InputFacts& input, ConfFindings* found) {
  const std::vector<int64_t>& shape = input.source.shape;
  if (IsOtherOrder(shape, input.facts.shape))
    found->errors.push_back(
        ConfigError("shape", StrCat("is ", SizesText(shape), ", the records' own is ",
                                    SizesText(input.facts.shape),
                                    ": sizes are channels, height, width in this order"))
            .Under(input.path));
}

// Returns whether the conf names the classes, which are else folders.
bool NamesClasses(const InputFacts& input) { return !input.source.store.class_names.empty(); }

void CheckClasses(const InputFacts& input, ConfFindings* found) {
  const auto classes = static_cast<int64_t>(input.facts.classes.size());
  if (classes == 0 || input.classes < 0) return;
  const bool named = NamesClasses(input);
  const char* const field = named ? "class_names" : "path";
  const std::string has =
      StrCat("has ", Counted(classes, named ? "name" : "class folder"), ", layer \"", input.loss,
             "\" has ", Counted(input.classes, "class", "classes"));
  if (classes > input.classes)
    found->errors.push_back(
        ConfigError(field, has, named ? kExitConfig : kExitBadData).Under(input.path));
  else if (classes < input.classes && input.phase == kTrain)
    found->warnings.push_back(
        ConfigError(
            field,
            StrCat(named ? "" : input.source.store.path + " ", has, ": the last ",
                   input.classes - classes == 1 ? "has" : StrCat(input.classes - classes, " have"),
                   " no record"))
            .Under(input.path));
}

void CheckLabels(const InputFacts& input, ConfFindings* found) {
  const LabelRange& labels = input.facts.labels;
  // Labels are not checked if bad records may be skipped.
  if (input.classes < 0 || labels.of_least < 0 || input.source.max_bad > 0) return;
  const bool greatest = labels.greatest >= input.classes;
  if (!greatest && labels.least >= 0) return;
  const StoreOptions& store = input.source.store;
  const bool own_file = !store.label_path.empty();
  found->errors.push_back(
      ConfigError(own_file ? "label_path" : "path",
                  StrCat(own_file ? store.label_path : store.path, ": record ",
                         greatest ? labels.of_greatest : labels.of_least, ": the label is ",
                         greatest ? labels.greatest : labels.least, ", layer \"", input.loss,
                         "\" allows 0 to ", input.classes - 1),
                  kExitBadData)
          .Under(input.path));
}

void CheckLeftOut(const InputFacts& input, ConfFindings* found) {
  const LeftOut& left_out = input.facts.left_out;
  if (left_out.count == 0) return;
  const std::string text = StrCat(input.source.store.path, " ", LeftOutNote(left_out));
  const int64_t most = input.source.max_bad;
  if (left_out.count <= most)
    found->warnings.push_back(ConfigError("path", text).Under(input.path));
  else
    found->errors.push_back(
        ConfigError("path",
                    text + (most == 0 ? StrCat("; ", input.skipping.setting, " does without them")
                                      : StrCat("; ", input.skipping.limit, " allows ", most)),
                    kExitBadData)
            .Under(input.path));
}

// Checks one store by itself.
void CheckOwn(const InputFacts& input, ConfFindings* found) {
  CheckShape(input, found);
  CheckLabels(input, found);
  CheckLeftOut(input, found);
}

void ComparePair(const InputFacts& train, const InputFacts& test, ConfFindings* found) {
  const auto warn = [&](const char* field, const std::string& text) {
    found->warnings.push_back(
        ConfigError(field, StrCat("phase ", Phase_Name(test.phase), ": ", text)).Under(test.path));
  };
  const std::string moved = MovedFolder(train.facts.classes, test.facts.classes);
  const std::string label = OtherLabel(train.facts.classes, test.facts.classes, "in training");
  if (!moved.empty() && !NamesClasses(test))
    found->errors.push_back(
        ConfigError("path", StrCat("phase ", Phase_Name(test.phase), ": ", moved), kExitBadData)
            .Under(test.path));
  else if (!label.empty() && NamesClasses(test))
    warn("class_names", label + ": classes are numbered in the order of class_names");
  else if (!label.empty())
    warn("path", label + ": folders are numbered in the order of their names");
  const std::string column = OtherColumn(train.facts.columns, test.facts.columns);
  if (!column.empty()) warn("path", column);
}

void CompareLengths(const InputFacts& first, const InputFacts& other, ConfFindings* found) {
  if (first.facts.records == other.facts.records) return;
  found->errors.push_back(
      ConfigError("path", StrCat("has ", Counted(other.facts.records, "record"),
                                 ", that of layer \"", first.layer, "\" ", first.facts.records,
                                 ": record i of one input layer meets record i of the others"))
          .Under(other.path));
}

bool Equal(const google::protobuf::RepeatedField<float>& a,
           const google::protobuf::RepeatedField<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool Equal(const google::protobuf::RepeatedPtrField<ColumnProto>& a,
           const google::protobuf::RepeatedPtrField<ColumnProto>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    google::protobuf::util::MessageDifferencer::Equals);
}

// Returns the first setting that changes a record's numbers and differs between the layers.
std::string OtherSetting(const LayerProto& train, const LayerProto& test) {
  const StoreProto &a = train.store_conf(), &b = test.store_conf();
  const auto std_of = [](const StoreProto& conf) {
    return conf.has_std_value() ? conf.std_value() : 1;
  };
  if (a.mean_value() != b.mean_value()) return "store_conf.mean_value";
  if (std_of(a) != std_of(b)) return "store_conf.std_value";
  if (!Equal(a.channel_mean(), b.channel_mean())) return "store_conf.channel_mean";
  if (!Equal(a.channel_std(), b.channel_std())) return "store_conf.channel_std";
  if (!Equal(a.columns(), b.columns())) return "store_conf.columns";
  if (a.mean_file() != b.mean_file()) return "store_conf.mean_file";
  if (a.std_file() != b.std_file()) return "store_conf.std_file";
  if (train.rgbimage_conf().scale() != test.rgbimage_conf().scale()) return "rgbimage_conf.scale";
  if (train.rgbimage_conf().meanfile() != test.rgbimage_conf().meanfile())
    return "rgbimage_conf.meanfile";
  if (train.mnist_conf().norm_a() != test.mnist_conf().norm_a()) return "mnist_conf.norm_a";
  if (train.mnist_conf().norm_b() != test.mnist_conf().norm_b()) return "mnist_conf.norm_b";
  return "";
}

}  // namespace

ConfFindings CompareFacts(const std::vector<InputFacts>& inputs) {
  ConfFindings found;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputFacts& input = inputs[i];
    CheckOwn(input, &found);
    CheckClasses(input, &found);
    const auto first = std::find_if(inputs.begin(), inputs.end(), [&](const InputFacts& other) {
      return other.phase == input.phase;
    });
    if (&*first != &input) CompareLengths(*first, input, &found);
    if (input.phase == kTrain) continue;
    for (const InputFacts& train : inputs)
      if (train.phase == kTrain && train.layer == input.layer) ComparePair(train, input, &found);
  }
  for (ConfigError& error : CompareColours(inputs)) found.errors.push_back(std::move(error));
  return found;
}

void CompareSettings(const NetProto& net, ConfFindings* found) {
  const std::vector<std::string> paths = LayerPaths(net.layer());
  for (int i = 0; i < net.layer_size(); ++i) {
    const LayerProto& test = net.layer(i);
    if (InPhase(test, kTrain) || !(InPhase(test, kTest) || InPhase(test, kVal))) continue;
    for (const LayerProto& train : net.layer()) {
      if (!InPhase(train, kTrain) || train.name() != test.name()) continue;
      const std::string field = OtherSetting(train, test);
      if (!field.empty())
        found->warnings.push_back(
            ConfigError(field, "is not as in training: the net sees other numbers in a test")
                .Under("neuralnet." + paths[i]));
    }
  }
}

void TellFacts(const std::vector<InputFacts>& inputs,
               const std::function<void(const std::string&)>& warn) {
  const ConfFindings found = CompareFacts(inputs);
  if (!found.errors.empty()) throw found.errors.front();
  for (const ConfigError& warning : found.warnings) warn(warning.message());
}

std::string OtherLabel(const std::vector<std::string>& names, const std::vector<std::string>& own,
                       const std::string& there) {
  if (names.empty()) return "";
  for (size_t i = 0; i < own.size(); ++i) {
    if (i < names.size() && own[i] == names[i]) continue;
    const std::string other =
        i < names.size() ? StrCat("\"", Printable(names[i]), "\"") : "no class";
    return StrCat("label ", i, " is class \"", Printable(own[i]), "\", ", there, " ", other);
  }
  return "";
}

std::string OtherColumn(const std::vector<std::string>& trained,
                        const std::vector<std::string>& own) {
  const size_t both = std::min(trained.size(), own.size());
  for (size_t i = 0; i < both; ++i)
    if (own[i] != trained[i])
      return StrCat("column ", FieldText(own[i]), " is in the place that ", FieldText(trained[i]),
                    " has in training: columns go by position, names are not matched");
  return "";
}

void SetTrainedClasses(const std::vector<std::string>& classes, std::vector<InputFacts>* inputs) {
  if (classes.empty()) return;
  std::vector<InputFacts> trained;
  for (const InputFacts& test : *inputs) {
    if (test.phase == kTrain || test.facts.classes.empty()) continue;
    const auto train = std::find_if(inputs->begin(), inputs->end(), [&](const InputFacts& input) {
      return input.phase == kTrain && input.layer == test.layer;
    });
    if (train != inputs->end()) {
      train->facts.classes = classes;
      continue;
    }
    trained.push_back({.phase = kTrain, .layer = test.layer, .path = test.path});
    trained.back().facts.classes = classes;
  }
  inputs->insert(inputs->end(), trained.begin(), trained.end());
}

void TellOwnFacts(const InputFacts& input, const std::function<void(const std::string&)>& warn) {
  ConfFindings found;
  CheckOwn(input, &found);
  if (!found.errors.empty()) {
    const ConfigError& error = found.errors.front();
    const bool of_file = error.path().ends_with("path");
    throw Error(
        of_file ? error.code() : kExitBadData,
        of_file ? error.message()
                : StrCat(input.source.store.path, ": the ",
                         error.path().substr(error.path().rfind('.') + 1), " ", error.message()));
  }
  for (const ConfigError& warning : found.warnings) warn(warning.message());
}

}  // namespace singa
