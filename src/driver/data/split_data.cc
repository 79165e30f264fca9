#include "driver/data/split_data.h"

#include <iostream>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "driver/arguments/arguments.h"
#include "driver/data/other_files.h"
#include "io/format/guess_backend.h"
#include "io/format/split_lines.h"
#include "io/store/store.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the options that the flags say, for the text at `path`.
SplitOptions OptionsFrom(const Arguments& args, const std::string& path) {
  const std::string backend = GuessBackend(path);
  const StoreTraits& traits = TraitsOf(backend);
  const bool list = traits.picture_files && !traits.class_folders;
  if (!traits.lines && !list)
    args.ThrowUsage(StrCat(path, " is ", backend, "; only tables and lists of pictures are split",
                           traits.class_folders ? "; to divide class folders, move pictures of each"
                                                  " class to a class folder elsewhere"
                                                : ""));
  for (const char* flag : {"header", "separator", "label_column"})
    if (list && args.Has(flag))
      args.ThrowUsage(StrCat("-", flag, " is for a table, not for a list of pictures"));
  if (args.Has("label_column") && !args.Has("by_class"))
    args.ThrowUsage("-label_column has no effect without -by_class");
  SplitOptions options = {.table = !list,
                          .header = args.Has("header"),
                          .by_class = args.Has("by_class"),
                          .label_column = args.Get("label_column")};
  try {
    options.separator = SeparatorsIn(args.Get("separator", ","));
  } catch (const ConfigError& error) {
    args.ThrowUsage("-separator " + error.message());
  }
  options.test = args.ToNumber<double>("test", args.Get("test", "0.2"));
  if (!(options.test > 0 && options.test < 1))
    args.ThrowUsage("-test must be > 0 and < 1, is " + args.Get("test"));
  options.seed = args.ToNumber<uint64_t>("seed", args.Get("seed", "0"));
  return options;
}

}  // namespace

int SplitData(const std::vector<std::string>& words) {
  const Arguments args("data split", words,
                       {.values = {"test", "seed", "separator", "label_column"},
                        .switches = {"header", "by_class"}});
  const std::vector<std::string>& paths = args.Operands("FILE TRAIN TEST");
  const std::string &file = paths[0], &train = paths[1], &test = paths[2];
  RequireOtherFiles(args, {{"FILE", file}, {"TRAIN", train}, {"TEST", test}});
  PosixFileSystem files;
  const SplitCounts counts = SplitLines(file, OptionsFrom(args, file), train, test, &files);
  std::cerr << "wrote " << Printable(train) << ": " << Counted(counts.train, "record") << "\n"
            << "wrote " << Printable(test) << ": " << Counted(counts.test, "record") << "\n";
  return kExitOk;
}

}  // namespace singa
