#include "driver/data/data_command.h"

#include <glog/logging.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/data/data_usage.h"
#include "driver/data/other_files.h"
#include "driver/data/split_data.h"
#include "driver/data/table_words.h"
#include "driver/data/with_guess.h"
#include "driver/data/write_digits.h"
#include "driver/facts/compare_facts.h"
#include "io/format/guess_backend.h"
#include "io/mean_record.h"
#include "io/picture/image_decoder.h"
#include "io/store/convert_store.h"
#include "io/store/readable_records.h"
#include "io/store/resized_store.h"
#include "io/store/store.h"
#include "io/store/store_statistics.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"

namespace singa {
namespace {

[[noreturn]] void ThrowDataUsage(const std::string& message) { throw UsageError("data", message); }

// Parses "28,28", the value of -shape or -resize.
std::vector<int32_t> ToShape(const Arguments& args, const std::string& flag) {
  const std::string text = args.Get(flag);
  std::vector<int32_t> shape;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    shape.push_back(args.ToNumber<int32_t>(flag, text.substr(begin, end - begin)));
    if (shape.back() <= 0)
      args.ThrowUsage(StrCat("-", flag, ": sizes must be > 0, is ", shape.back()));
    begin = end + 1;
  }
  return shape;
}

std::string BackendOf(const Arguments& args, const std::string& path) {
  return args.Has("from") ? args.Get("from") : GuessBackend(path);
}

// Sets what the flags say about lines of text.
void ReadLineFlags(const Arguments& args, const std::string& backend, StoreOptions* options) {
  const StoreTraits& traits = TraitsOf(backend);
  try {
    options->separator = SeparatorsIn(args.Get("separator", ","));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-separator " + error.message());
  }
  options->header = args.Has("header");
  options->label_column = args.Get("label_column");
  options->targets = args.ToNumber<uint16_t>("targets", args.Get("targets", "0"));
  options->root_folder = args.Get("root");
  for (const char* flag : {"header", "label_column"})
    if (args.Has(flag) && !traits.lines)
      args.ThrowUsage(StrCat("-", flag, " is for a textfile, not for records of ", backend));
  const bool list = traits.picture_files && !traits.class_folders;
  if (options->targets > 0 && !traits.lines && !list)
    args.ThrowUsage("-targets is for lines of a textfile, not for records of " + backend);
  if (args.Has("root") && !list)
    args.ThrowUsage("-root is for an imagelist, not for records of " + backend);
}

// Opens all records, resized if -resize asks for it. `keeps_files`: pictures of an imagefolder are
// not decoded. `columns`: how those of a table are read.
std::unique_ptr<Store> OpenRecords(const Arguments& args, const std::string& path, bool keeps_files,
                                   const std::vector<TableColumn>& columns) {
  const std::string backend = BackendOf(args, path);
  StoreOptions options{.path = path, .label_path = args.Get("labels")};
  options.has_label = !args.Has("no_labels");
  ReadLineFlags(args, backend, &options);
  options.columns = columns;
  options.raw_files = keeps_files;
  options.encoded = args.Has("encoded");
  options.skips_bad = args.Get("max_bad", "0") != "0";
  const StoreTraits& traits = TraitsOf(backend);
  if (options.encoded && traits.encoded != Encoded::kAsSaid && !traits.picture_files)
    args.ThrowUsage("-encoded is for image files of a kvfile, textfile or imagefolder, not of " +
                    backend);
  if (args.Has("shape")) options.channels = PictureChannels(ToShape(args, "shape"));
  try {
    CheckBackend(backend);
  } catch (const ConfigError& error) {
    args.ThrowUsage("-from: " + error.message());
  }
  if (traits.label_file && options.has_label && options.label_path.empty()) {
    options.label_path = GuessLabelPath(path);
    if (options.label_path.empty())
      args.ThrowUsage(path + " is " + backend +
                      ": name its labels with -labels FILE, or say -no_labels");
  }
  std::unique_ptr<Store> store = OpenWithWords(backend, options);
  if (!args.Has("resize")) return store;
  const std::vector<int32_t> size = ToShape(args, "resize");
  if (size.size() != 2) args.ThrowUsage("-resize needs rows and columns, such as 256,256");
  if (int64_t{size[0]} * size[1] > ImageDecoder::kMaxPixels)
    args.ThrowUsage(StrCat("-resize: a picture has at most ", ImageDecoder::kMaxPixels, " pixels"));
  return ResizePictures(std::move(store), size[0], size[1]);
}

// Warns, or throws, if the facts of `store` contradict the command line.
void TellFactsOf(const Arguments& args, const std::string& path, int64_t max_bad, Store* store) {
  InputFacts input{.skipping = {.setting = "-max_bad N", .limit = "-max_bad"}};
  input.source.store.path = path;
  input.source.store.has_label = false;  // there is nothing to compare labels with
  input.source.max_bad = max_bad;
  if (args.Has("shape"))
    for (int32_t size : ToShape(args, "shape")) input.source.shape.push_back(size);
  input.facts = FactsOf(BackendOf(args, path), input.source.store, store);
  TellOwnFacts(input, [](const std::string& text) { LOG(WARNING) << text; });
}

// Opens the records without those that -max_bad leaves out. `same_shape`: also leaves out records
// of another shape.
std::unique_ptr<Store> OpenSource(const Arguments& args, const std::string& path, bool keeps_files,
                                  bool same_shape, const std::vector<TableColumn>& columns = {}) {
  std::unique_ptr<Store> store = OpenRecords(args, path, keeps_files, columns);
  ReadableOptions options = {.same_shape = same_shape};
  options.max_bad = args.ToNumber<uint32_t>("max_bad", args.Get("max_bad", "0"));
  TellFactsOf(args, path, options.max_bad, store.get());
  if (options.max_bad == 0) return store;
  if (same_shape && args.Has("shape")) options.shape = ToShape(args, "shape");
  const std::unique_ptr<Store> decoded = keeps_files ? OpenRecords(args, path, false, {}) : nullptr;
  Store* judge = decoded ? decoded.get() : store.get();
  return LeaveOutBadRecords(std::move(store), judge, options);
}

// Returns whether DST gets the files of SRC unchanged.
bool KeepsFiles(const Arguments& args, const std::string& source, const std::string& format) {
  if (!args.Has("encoded") || !TraitsOf(BackendOf(args, source)).picture_files) return false;
  if (!WriterTraitsOf(format).image_files) {
    std::string others;
    for (const std::string& name : StoreWriters().Names())
      if (WriterTraitsOf(name).image_files) others += (others.empty() ? "" : " and ") + name;
    args.ThrowUsage(StrCat("-encoded: a ", format, " holds no image files; ", others, " do"));
  }
  if (args.Has("resize")) args.ThrowUsage("-encoded: files that are kept are not resized");
  if (args.Has("shape"))
    args.ThrowUsage("-encoded: the files that are kept have shapes of their own");
  return true;
}

int Convert(const Arguments& args) {
  const std::vector<std::string>& operands = args.operands();
  RequireOtherFiles(args, {{"SRC", operands[0]},
                           {"-labels", args.Get("labels")},
                           {"DST", operands[1]},
                           {"-to_labels", args.Get("to_labels")},
                           {"-mean", args.Get("mean")}});
  const std::string format = args.Get("to", FormatOfName(operands[1], "kvfile"));
  WriterOptions options{.path = operands[1], .label_path = args.Get("to_labels")};
  if (args.Has("shape")) options.shape = ToShape(args, "shape");
  options.has_label = !args.Has("no_labels");
  if (WriterTraitsOf(format).label_file && options.has_label && options.label_path.empty())
    args.ThrowUsage(StrCat("-to ", format, ": name the file of labels with -to_labels FILE, or ",
                           "say -no_labels"));
  options.encoded = KeepsFiles(args, operands[0], format);
  const bool keeps = options.encoded;
  std::unique_ptr<Store> store = OpenSource(args, operands[0], keeps, !keeps);
  PosixFileSystem files;
  try {
    ConvertStore(store.get(), format, options, &files);
  } catch (const ConfigError& error) {
    args.ThrowUsage(error.message());
  }
  std::cerr << "wrote " << Printable(options.path) << ": " << Counted(store->size(), "record")
            << "\n";
  const std::string words = WordsText(*store, BackendOf(args, operands[0]));
  if (options.has_label && !words.empty())
    std::cerr << "classes are numbered in the order of " << words << "\n";
  if (args.Has("mean") && keeps) store = OpenSource(args, operands[0], false, false);
  if (args.Has("mean")) WriteMeanRecord(store.get(), options.shape, args.Get("mean"), &files);
  return kExitOk;
}

// Returns how the columns of a table are read, by its content.
std::vector<GuessedColumn> ColumnsAt(const Arguments& args, const std::string& path) {
  const std::string backend = BackendOf(args, path);
  StoreOptions options{.path = path, .has_label = !args.Has("no_labels")};
  ReadLineFlags(args, backend, &options);
  return TraitsOf(backend).lines && !args.Has("encoded") ? ColumnsOfTable(options)
                                                         : std::vector<GuessedColumn>();
}

int Stat(const Arguments& args) {
  const std::string& path = args.operands()[0];
  const std::vector<GuessedColumn> columns = ColumnsAt(args, path);
  const std::unique_ptr<Store> store =
      OpenSource(args, path, false, false, WithoutReasons(columns));
  const StoreStatistics measured = Measure(store.get());
  const std::string backend = BackendOf(args, path);
  std::cout << measured << LinesForConf(*store, backend, columns) << std::flush;
  constexpr size_t kMany = 100;  // labels, of which most records have their own
  if (TraitsOf(backend).lines && measured.labels.size() > kMany &&
      2 * std::ssize(measured.labels) > measured.records)
    std::cerr << "the labels hardly repeat: if they are real targets, say -targets 1\n";
  return kExitOk;
}

}  // namespace

int DataCommand(const std::vector<std::string>& args) {
  for (const std::string& arg : args) {
    if (arg != "-help" && arg != "--help" && arg != "-h" && arg != "--h") continue;
    std::cout << kDataUsage << std::flush;
    return kExitOk;
  }
  if (args.empty()) ThrowDataUsage("singa data needs one of digits, convert, stat, split");
  const std::string command = "data " + args[0];
  const std::vector<std::string> rest(args.begin() + 1, args.end());
  if (args[0] == "digits") return WriteDigits({command, rest, {.values = {"seed"}}});
  if (args[0] == "convert") {
    const Arguments convert(
        command, rest,
        {.values = {"from", "to", "labels", "to_labels", "shape", "separator", "mean", "resize",
                    "max_bad", "targets", "label_column", "root"},
         .switches = {"no_labels", "encoded", "header"}});
    return WithGuess(convert.Operands("SRC DST")[0],
                     !convert.Has("from") && !convert.Has("label_column"), true,
                     [&] { return Convert(convert); });
  }
  if (args[0] == "stat") {
    const Arguments stat(
        command, rest,
        {.values = {"from", "labels", "separator", "max_bad", "targets", "label_column", "root"},
         .switches = {"no_labels", "encoded", "header"}});
    return WithGuess(stat.Operands("PATH")[0], !stat.Has("from") && !stat.Has("label_column"),
                     false, [&] { return Stat(stat); });
  }
  if (args[0] == "split") return SplitData(rest);
  ThrowDataUsage("no command singa data " + args[0] +
                 DidYouMeanOneOf(args[0], {"digits", "convert", "stat", "split"}));
}

namespace {

SINGA_REGISTER_SUBCOMMAND(
    data, {.place = 70,
           .name = "data",
           .operands = "",
           .brief = "digits, convert, stat, split: make, convert and inspect records",
           .reads = Subcommand::kItsOwn,
           .options = {},
           .alone = true,
           .help = kDataUsage,
           .run = [](const CommandLine& line) { return DataCommand(line.args); }});

}  // namespace

}  // namespace singa
