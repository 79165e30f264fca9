#include "driver/predict/record_source.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/text/counted.h"
#include "driver/facts/compare_colours.h"
#include "driver/facts/compare_facts.h"
#include "driver/predict/match_columns.h"
#include "driver/predict/picture_source.h"
#include "driver/predict/stdin_source.h"
#include "driver/predict/text_lines.h"
#include "io/format/guess_backend.h"
#include "io/format/image_index.h"
#include "io/picture/image_decoder.h"
#include "io/table/csv_fields.h"
#include "nn/graph/graph.h"
#include "nn/input/column_settings.h"
#include "nn/input/store_settings.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

int64_t SizeOfRecord(const SourceOptions& options) {
  return std::accumulate(options.shape.begin(), options.shape.end(), int64_t{1},
                         std::multiplies<>());
}

class StoreSource final : public RecordSource {
 public:
  // labels[i] replaces the store's label i; empty: the store's labels are used.
  StoreSource(std::unique_ptr<Store> store, const SourceOptions& options,
              std::vector<int32_t> labels)
      : store_(std::move(store)),
        shape_(options.shape),
        has_label_(options.labels),
        labels_(std::move(labels)) {}

  const Sample* Next() override {
    if (++at_ >= store_->size()) return nullptr;
    sample_ = store_->Read(at_);
    const std::string misfit = sample_.Misfit(shape_, "the net takes");
    if (!misfit.empty()) throw DataError(Where(), -1, misfit);
    if (!has_label_) sample_.label = kNoLabel;
    if (sample_.label >= 0 && !labels_.empty()) sample_.label = labels_[sample_.label];
    return &sample_;
  }
  std::string Name() const override { return store_->NameOf(at_); }
  std::string Where() const override { return store_->Where(at_); }

 private:
  const std::unique_ptr<Store> store_;
  const std::vector<int64_t> shape_;
  const bool has_label_;
  const std::vector<int32_t> labels_;
  int64_t at_ = -1;
  Sample sample_;
};

// Returns the words that stand as labels, in the order of the net's classes; empty: labels are
// integers.
std::vector<std::string> ClassWordsOf(const SourceOptions& options) {
  const StoreProto conf = SettingsOf(options.input).conf;
  if (conf.class_names().empty()) return {};
  if (!options.classes.empty()) return options.classes;
  return {conf.class_names().begin(), conf.class_names().end()};
}

StoreOptions OptionsFor(const std::string& path, const std::string& backend,
                        const SourceOptions& options) {
  const StoreSettings settings = SettingsOf(options.input);
  const StoreTraits& traits = TraitsOf(backend);
  StoreOptions store{.path = path, .label_path = options.label_path};
  const bool own = backend == settings.backend;  // same format as the training data
  if (own || traits.lines) store.format = settings.format;
  store.encoded = own && settings.conf.encoded();
  store.separator = SeparatorsIn(settings.conf.separator());
  store.has_label = options.labels;
  store.id_column = options.id_column;
  store.reads_unknown_words = true;
  store.header = traits.lines && settings.conf.header();
  if (traits.lines) store.label_column = settings.conf.label_column();
  if (own || traits.lines) store.columns = ColumnsIn(settings.conf);
  if (own || traits.lines) store.class_names = ClassWordsOf(options);
  if (own) store.root_folder = settings.conf.root_folder();
  store.channels = PictureChannels(options.shape);
  store.shape = options.shape;
  store.short_side = ShortSideOf(options);
  if (own || traits.raw_datums) store.colours = ColoursOf(settings.conf);
  store.skips_bad = MaxBadOf(settings.conf) > 0;
  return store;
}

// Returns how lines of stdin are read: as a text file of the training data.
StoreOptions LinesOfStdin(const SourceOptions& options) {
  const StoreProto conf = SettingsOf(options.input).conf;
  return {.separator = SeparatorsIn(conf.separator()),
          .has_label = options.labels,
          .targets = conf.num_targets(),
          .header = conf.header(),
          .reads_unknown_words = true,
          .label_column = conf.label_column(),
          .class_names = ClassWordsOf(options),
          .columns = ColumnsIn(conf),
          .id_column = options.id_column,
          .skips_bad = MaxBadOf(conf) > 0};
}

// Returns the net's label of each class of a folder or tar, or kNoLabel. Empty: the labels are the
// same.
std::vector<int32_t> LabelsOf(const Store& store, const SourceOptions& options,
                              std::vector<std::string>* warnings) {
  const std::string& path = store.name();
  const std::vector<std::string> own = store.classes();
  const auto count = static_cast<int64_t>(own.size());
  if (options.classes.empty()) {
    if (count == options.outputs) return {};
    warnings->push_back(StrCat(path, ": has ", Counted(count, "class folder"), ", the net ",
                               Counted(options.outputs, "class", "classes"),
                               ", and their names are not known: labels are left out"));
    return std::vector<int32_t>(own.size(), kNoLabel);
  }
  std::vector<int32_t> labels;
  for (const std::string& name : own) {
    const auto it = std::find(options.classes.begin(), options.classes.end(), name);
    const bool known = it != options.classes.end();
    labels.push_back(known ? static_cast<int32_t>(it - options.classes.begin()) : kNoLabel);
    if (!known)
      warnings->push_back(StrCat(path, ": \"", Printable(name),
                                 "\" is none of the net's classes: its pictures have no label"));
  }
  return labels;
}

[[noreturn]] void ThrowNotIdx(const std::string& path, const std::string& what) {
  throw Error(kExitUsage, StrCat("-labels is for records of idx; ", path, " is ", what));
}

void CheckTable(const std::string& path, const std::string& what, const SourceOptions& options) {
  if (!options.id_column.empty())
    throw Error(kExitUsage, StrCat("-id is for tables; ", path, " is ", what));
}

void TellFactsOf(const std::string& path, const StoreFacts& facts, const SourceOptions& options,
                 std::vector<std::string>* warnings) {
  InputFacts input{
      .phase = kTest, .layer = options.input.name(), .path = options.input_path + ".store_conf"};
  input.source.store.path = path;
  input.source.shape = options.shape;
  input.source.max_bad = MaxBadOf(SettingsOf(options.input).conf);
  input.facts = facts;
  TellOwnFacts(input, [&](const std::string& text) { warnings->push_back(text); });
  std::vector<InputFacts> all = options.training;
  all.push_back(std::move(input));
  for (const InputFacts& training : options.training) {
    if (training.layer != options.input.name()) continue;
    const std::string column = OtherColumn(training.facts.columns, facts.columns);
    if (!column.empty()) warnings->push_back(StrCat(path, ": ", column));
  }
  const ConfigErrors colours = CompareColours(all);
  if (!colours.empty()) throw colours.front();
}

std::unique_ptr<RecordSource> OpenRecords(const std::string& path, const std::string& backend,
                                          const SourceOptions& options,
                                          std::vector<std::string>* warnings) {
  const StoreTraits& traits = TraitsOf(backend);
  if (!traits.label_file && !options.label_path.empty()) ThrowNotIdx(path, backend);
  if (!traits.lines) CheckTable(path, backend, options);
  StoreOptions store = OptionsFor(path, backend, options);
  if (traits.label_file && store.label_path.empty()) {
    store.label_path = GuessLabelPath(path);
    store.has_label = store.has_label && !store.label_path.empty();
  }
  const StoreProto conf = SettingsOf(options.input).conf;
  if (traits.picture_files && conf.num_targets() > 0) {
    store.has_label = false;  // leaves targets out, too
    if (options.targets && traits.targets) store.targets = conf.num_targets();
  }
  if (traits.lines) store.targets = conf.num_targets();
  std::unique_ptr<Store> records =
      traits.lines ? OpenText(backend, store, SizeOfRecord(options), TrainedTableOf(options))
                   : OpenStore(backend, store);
  store.has_label = false;  // each label is checked with its record
  const StoreFacts facts = FactsOf(backend, store, records.get());
  TellFactsOf(path, facts, options, warnings);
  std::vector<int32_t> labels;
  if (traits.class_folders && options.labels) labels = LabelsOf(*records, options, warnings);
  return std::make_unique<StoreSource>(std::move(records), options, std::move(labels));
}

}  // namespace

int32_t ShortSideOf(const SourceOptions& options) {
  const std::vector<int64_t>& shape = options.shape;
  const int32_t pixels = SettingsOf(options.input).conf.short_side();
  const bool usable =
      shape.size() >= 2 && pixels >= std::max(shape[shape.size() - 2], shape.back());
  return usable ? pixels : 0;
}

void CheckPictures(const std::string& path, StoreFacts facts, const SourceOptions& options,
                   std::vector<std::string>* warnings) {
  if (PictureChannels(options.shape) == 3) facts.colours = ColourOrder::kRedFirst;
  TellFactsOf(path, facts, options, warnings);
}

std::unique_ptr<RecordSource> OpenSource(const std::string& path, const SourceOptions& options,
                                         std::vector<std::string>* warnings) {
  if (path == "-" && !options.label_path.empty()) ThrowNotIdx(path, "standard input");
  if (path == "-")
    return NewStdinSource(LinesOfStdin(options), SizeOfRecord(options), TrainedTableOf(options));
  if (!options.backend.empty()) return OpenRecords(path, options.backend, options, warnings);
  StoreFacts facts;
  std::vector<std::string> pictures = PicturesAt(path, &facts.left_out);
  if (!pictures.empty() && !options.label_path.empty()) ThrowNotIdx(path, "a picture");
  if (!pictures.empty()) {
    CheckTable(path, "a picture", options);
    CheckPictures(path, facts, options, warnings);
    return NewPictureSource(std::move(pictures), options.shape, ShortSideOf(options));
  }
  const std::string guess = GuessBackend(path);
  try {
    return OpenRecords(path, guess, options, warnings);
  } catch (const DataError& error) {
    if (TraitsOf(guess).lines && !SettingsOf(options.input).conf.label_column().empty()) throw;
    const std::string remedies = TraitsOf(guess).lines
                                     ? "label_column, num_targets and separator of the job's "
                                       "store_conf say which columns are the label or targets"
                                     : "";
    throw Error(error.code(), StrCat(error.what(), GuessText(guess, remedies)));
  }
}

std::vector<std::string> ClassNames(const NetProto& net, std::vector<std::string>* warnings) {
  std::error_code error;
  std::string path;
  for (const Phase phase : {kTrain, kTest})
    for (const LayerProto& layer : net.layer()) {
      const StoreProto& store = layer.store_conf();
      if (path.empty() && InPhase(layer, phase) && !store.class_names().empty())
        return {store.class_names().begin(), store.class_names().end()};
      if (path.empty() && InPhase(layer, phase) && TraitsOf(store.backend()).class_folders &&
          fs::exists(store.path(), error))
        path = store.path();
    }
  if (path.empty()) return {};
  try {
    return (fs::is_directory(path, error) ? IndexImageFolder(path) : IndexImageTar(path)).classes;
  } catch (const Error& failure) {
    warnings->push_back(StrCat("the names of the classes are not known: ", failure.what()));
    return {};
  }
}

std::vector<std::string> TargetNames(const SourceOptions& options, const JudgedOutput& judged) {
  std::vector<std::string> names;
  if (judged.targets == 0) return names;
  for (const InputFacts& training : options.training) {
    const std::vector<std::string>& columns = training.facts.columns;  // numbers, then targets
    if (training.layer != options.input.name() || std::ssize(columns) < judged.targets) continue;
    const auto first = columns.end() - judged.targets + judged.first_target;
    return {first, first + options.outputs};
  }
  for (int64_t i = 0; i < options.outputs; ++i)
    names.push_back(StrCat("target", judged.first_target + i));
  return names;
}

}  // namespace singa
