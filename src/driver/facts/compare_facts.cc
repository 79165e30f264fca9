#include "driver/facts/compare_facts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

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

// (28, 28, 3) for (3, 28, 28): as many numbers, which would be read in a wrong order.
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

void CheckClasses(const InputFacts& input, ConfFindings* found) {
  const auto classes = static_cast<int64_t>(input.facts.classes.size());
  if (classes == 0 || input.classes < 0) return;
  if (classes > input.classes)
    found->errors.push_back(ConfigError("path",
                                        StrCat("has ", classes, " class folders, layer \"",
                                               input.loss, "\" has ", input.classes, " classes"),
                                        kExitBadData)
                                .Under(input.path));
  else if (classes < input.classes && input.phase == kTrain)
    found->warnings.push_back(
        ConfigError("path",
                    StrCat(input.source.store.path, " has ", classes, " class folders, layer \"",
                           input.loss, "\" has ", input.classes, " classes: the last ",
                           input.classes - classes, " have no record"))
            .Under(input.path));
}

// Returns the first label whose class differs between the stores, as text. Returns "" if none does
// or if the names are not known. Classes that a test lacks behind its last one change no label.
std::string OtherLabel(const InputFacts& train, const InputFacts& test) {
  const std::vector<std::string>&names = train.facts.classes, &own = test.facts.classes;
  if (names.empty()) return "";
  for (size_t i = 0; i < own.size(); ++i) {
    if (i < names.size() && own[i] == names[i]) continue;
    const std::string there = i < names.size() ? StrCat("\"", names[i], "\"") : "no class";
    return StrCat("label ", i, " is class folder \"", own[i], "\", in training ", there);
  }
  return "";
}

// Raw Datums do not say their order: Caffe's convert_imageset writes blue first.
constexpr const char* kOrders =
    "Caffe's raw Datums have blue first, decoded pictures red first; unless these were written "
    "red first, the net sees other colours: use image files, or Datums of them, for both";

bool OrdersDiffer(ColourOrder one, ColourOrder two) {
  return one != two && one != ColourOrder::kNotSaid && two != ColourOrder::kNotSaid;
}

std::string Says(ColourOrder order) {
  return order == ColourOrder::kRawDatum ? "raw Datums" : "decoded pictures";
}

void ComparePair(const InputFacts& train, const InputFacts& test, ConfFindings* found) {
  const auto warn = [&](const std::string& text) {
    found->warnings.push_back(
        ConfigError("path", StrCat("phase ", Phase_Name(test.phase), ": ", text)).Under(test.path));
  };
  const std::string label = OtherLabel(train, test);
  if (!label.empty()) warn(label + ": folders are numbered in the order of their names");
  const std::string colours = OtherColours({train}, test.facts.colours);
  if (!colours.empty()) warn(StrCat(test.source.store.path, " ", colours));
}

void CompareLengths(const InputFacts& first, const InputFacts& other, ConfFindings* found) {
  if (first.facts.records == other.facts.records) return;
  found->errors.push_back(
      ConfigError("path", StrCat("has ", other.facts.records, " records, that of layer \"",
                                 first.layer, "\" ", first.facts.records,
                                 ": record i of one input layer meets record i of the others"))
          .Under(other.path));
}

// Settings that say which numbers a net sees of a record.
std::string OtherSetting(const LayerProto& train, const LayerProto& test) {
  const StoreProto &a = train.store_conf(), &b = test.store_conf();
  const auto std_of = [](const StoreProto& conf) {
    return conf.has_std_value() ? conf.std_value() : 1;
  };
  if (a.mean_value() != b.mean_value()) return "store_conf.mean_value";
  if (std_of(a) != std_of(b)) return "store_conf.std_value";
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
    CheckShape(input, &found);
    CheckClasses(input, &found);
    const auto first = std::find_if(inputs.begin(), inputs.end(), [&](const InputFacts& other) {
      return other.phase == input.phase;
    });
    if (&*first != &input) CompareLengths(*first, input, &found);
    if (input.phase == kTrain) continue;
    for (const InputFacts& train : inputs)
      if (train.phase == kTrain && train.layer == input.layer) ComparePair(train, input, &found);
  }
  return found;
}

void CheckFirstRecords(const std::vector<InputFacts>& inputs, ConfFindings* found) {
  const auto count = [](const std::vector<int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  for (const InputFacts& input : inputs) {
    const std::vector<int64_t>&shape = input.source.shape, &own = input.facts.shape;
    if (own.empty() || input.source.max_bad > 0 || count(shape) == count(own)) continue;
    found->errors.push_back(
        ConfigError("shape",
                    StrCat("is ", SizesText(shape), ", that of the first record ", SizesText(own)),
                    kExitBadData)
            .Under(input.path));
  }
}

void CompareSettings(const NetProto& net, ConfFindings* found) {
  std::vector<std::string> names;
  for (const LayerProto& layer : net.layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
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

std::string OtherColours(const std::vector<InputFacts>& training, ColourOrder own) {
  for (const InputFacts& train : training)
    if (OrdersDiffer(train.facts.colours, own))
      return StrCat("holds ", Says(own), ", the net learned from ", Says(train.facts.colours), ", ",
                    train.source.store.path, ": ", kOrders);
  return "";
}

}  // namespace singa
