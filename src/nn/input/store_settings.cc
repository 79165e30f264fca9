#include "nn/input/store_settings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "base/text/counted.h"
#include "base/text/element_path.h"
#include "base/text/json_text.h"
#include "base/text/line_blanks.h"
#include "base/text/parse_number.h"
#include "io/table/csv_fields.h"
#include "nn/input/column_settings.h"
#include "nn/input/store_input.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void CheckFinite(const std::string& field, float value) {
  if (!std::isfinite(value)) throw ConfigError(field, StrCat("must be finite, is ", value));
}

// Checks a list that has one number for each channel, or is empty.
void CheckChannels(const std::string& field, const google::protobuf::RepeatedField<float>& values,
                   int64_t channels) {
  if (!values.empty() && values.size() != channels)
    throw ConfigError(field,
                      StrCat("must have one number for each of the ", Counted(channels, "channel"),
                             " (the first size of shape), has ", values.size()));
  for (int i = 0; i < values.size(); ++i) CheckFinite(ElementPath(field, i), values[i]);
}

// Checks that `word`, value `index` of class_names, can stand as a label in a line.
void CheckClassName(const StoreProto& conf, int index, bool in_list) {
  const std::string& word = conf.class_names(index);
  const auto fail = [&](const std::string& text) {
    throw ConfigError(ElementPath("class_names", index), text);
  };
  if (word.empty()) fail("must not be empty");
  if (ReplaceInvalidUtf8(word) != word)  // a checkpoint could not keep it
    fail(StrCat("is ", FieldText(word),
                ", which is not UTF-8: save this file and the data as UTF-8"));
  if (word.find('\n') != word.npos) fail("has a line break, and a label is in one line");
  if (WithoutBlanks(word).size() != word.size())
    fail(StrCat("is ", FieldText(word), "; blanks around a label are not read"));
  if (in_list && word.find_first_of(kLineBlanks) != word.npos)
    fail(StrCat("is ", FieldText(word),
                ", and a label in an imagelist has no blanks: it is the last word of its line"));
}

// Sets the words that stand as labels.
void SetClassNames(const StoreProto& conf, const std::string& backend, StoreOptions* options) {
  const StoreTraits& traits = TraitsOf(backend);
  const bool list = traits.picture_files && traits.targets;
  if (conf.class_names().empty()) return;
  if (!traits.lines && !list)
    throw ConfigError("class_names", StrCat("is for labels in a textfile or an imagelist, the "
                                            "backend is \"",
                                            backend, "\""));
  if (conf.num_targets() > 0)
    throw ConfigError("class_names", StrCat("is for labels, and num_targets: ", conf.num_targets(),
                                            " puts targets, which are numbers, in their place"));
  std::map<std::string, int> places;
  for (int i = 0; i < conf.class_names_size(); ++i) {
    CheckClassName(conf, i, list);
    const auto [other, added] = places.emplace(conf.class_names(i), i);
    if (!added)
      throw ConfigError(ElementPath("class_names", i),
                        StrCat("is ", FieldText(conf.class_names(i)), ", as class ", other->second,
                               ": each class needs a name of its own"));
  }
  options->class_names.assign(conf.class_names().begin(), conf.class_names().end());
}

}  // namespace

void SetLines(const StoreProto& conf, const std::string& backend, StoreOptions* options) {
  const StoreTraits& traits = TraitsOf(backend);
  const bool csv = traits.lines || options->format == ValueFormat::kCsv;
  options->separator = SeparatorsIn(conf.separator());
  options->root_folder = conf.root_folder();
  if (traits.no_file) return;
  if (conf.header() && !traits.lines)
    throw ConfigError("header",
                      StrCat("is for CSV in a textfile, the backend is \"", backend, "\""));
  options->header = conf.header();
  SetClassNames(conf, backend, options);
  if (!csv && !conf.columns().empty())
    throw ConfigError("columns", StrCat("is for CSV, the backend is \"", backend, "\""));
  options->columns = ColumnsIn(conf);
  const std::string& column = conf.label_column();
  if (column.empty()) return;
  if (!csv)
    throw ConfigError("label_column", StrCat("is for CSV, the backend is \"", backend, "\""));
  const std::optional<int64_t> number = ParseNumber<int64_t>(column);
  if (number && (*number < 1 || *number > kMostColumns))
    throw ConfigError("label_column",
                      StrCat("must be a name, or from 1 to ", kMostColumns, ", is ", *number));
  if (!number && !conf.header())
    throw ConfigError("label_column",
                      StrCat("is a name, ", FieldText(column),
                             ", and only a file with header: true has names of columns"));
  options->label_column = column;
}

void CheckNormalisation(const StoreProto& conf, const std::vector<int64_t>& shape) {
  CheckFinite("mean_value", conf.mean_value());
  CheckFinite("std_value", conf.std_value());
  if (NormalisationOf(conf).std_value == 0) throw ConfigError("std_value", "must not be 0");
  // A picture of two sizes has one channel, as layers on images read it.
  const int64_t channels = shape.empty() || shape.size() == 2 ? 1 : shape[0];
  CheckChannels("channel_mean", conf.channel_mean(), channels);
  CheckChannels("channel_std", conf.channel_std(), channels);
  for (int i = 0; i < conf.channel_std_size(); ++i)
    if (conf.channel_std(i) == 0) throw ConfigError(ElementPath("channel_std", i), "must not be 0");
}

void CheckShortSide(const StoreProto& conf, const std::vector<int64_t>& shape, bool decodes) {
  constexpr int64_t kMost = 65535;
  const int64_t pixels = conf.short_side();
  if (pixels == 0) return;
  if (shape.size() != 2 && shape.size() != 3)
    throw ConfigError("short_side",
                      "is for pictures: shape must be channels, height, width, or height, width");
  if (!decodes)
    throw ConfigError("short_side",
                      "is for picture files, which this store does not decode: use a folder of "
                      "pictures, or encoded: true");
  // So every picture, upright or not, covers the part that is cut out.
  const int64_t least = std::max(shape[shape.size() - 2], shape.back());
  if (pixels < least || pixels > kMost)
    throw ConfigError("short_side", StrCat("must be 0, or from ", least,
                                           ", the larger of shape's height and width, to ", kMost,
                                           ", is ", pixels));
}

StoreSettings SettingsOf(const LayerProto& conf) {
  const std::unique_ptr<Layer> layer =
      conf.has_user_type() ? nullptr : Layers().Make(LayerType_Name(conf.type()));
  if (const StoreInput* store = layer ? StoreInputOf(layer.get()) : nullptr)
    return store->SettingsOf(conf);
  StoreSettings settings{.conf = conf.store_conf()};
  if (settings.conf.has_backend()) settings.backend = settings.conf.backend();
  return settings;
}

}  // namespace singa
