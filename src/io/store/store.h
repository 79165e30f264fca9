// Store reads records on disk, in any order, by their index. One thread at a time may use a store.
// This file also has the table of backends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/sample.h"
#include "singa/base/registry.h"

namespace singa {

// Order of a picture's three colours.
enum class ColourOrder : uint8_t {
  kNotSaid,    // not known
  kRedFirst,   // all pictures that are decoded from image files
  kBlueFirst,  // only stored records: readers reverse the order
  kRawDatum,   // the order of the program that wrote the Datum; Caffe's is blue first
};

// Format of the values of kvfile and textfile.
enum class ValueFormat {
  kRecord,  // RecordProto; in a textfile also its text form, or numbers as kCsv
  kCsv,     // numbers between separators
};

// How a table's columns of the label, or of the targets, are read.
enum class LabelFields : uint8_t {
  kNeeded,      // each record has them
  kMayBeEmpty,  // an empty label is none
  kLeftOut,     // they are neither read nor numbers
};

// How a column of a table is read that is not simply numbers, as ColumnProto says.
struct TableColumn {
  std::string name = {};  // of the header, or a number from 1
  bool leave_out = false;
  std::vector<std::string> words = {};
  std::optional<float> missing = {};

  bool operator==(const TableColumn&) const = default;
};

struct StoreOptions {
  std::string path = {};
  std::string label_path = {};  // idx
  ValueFormat format = ValueFormat::kRecord;
  std::string separator = ",";  // CSV
  bool has_label = true;        // whether a label is to be read
  int64_t targets = 0;          // CSV, imagelist: so many targets stand in place of a label
  LabelFields label_fields = LabelFields::kNeeded;  // CSV
  bool header = false;               // CSV: the first line of a textfile has the columns' names
  bool reads_unknown_words = false;  // CSV: a word that `columns` does not list is a gap, no error
  std::string label_column = {};     // CSV: as StoreProto.label_column
  std::string root_folder = {};      // imagelist: as StoreProto.root_folder
  // CSV in a textfile, imagelist: as StoreProto.class_names; empty: labels are integers
  std::vector<std::string> class_names = {};
  std::vector<TableColumn> columns = {};  // CSV: as StoreProto.columns
  std::string id_column = {};  // CSV: whose text is Sample::id, as label_column; empty: none
  // CSV with a header: the columns to read, from 0, in the order of their numbers; empty: all
  std::vector<int64_t> column_order = {};
  int channels = 3;        // channels of decoded image files: 3, or 1 for grey
  bool encoded = false;    // a record's pixel is a picture file to decode
  bool raw_files = false;  // stores of picture files: pixels are their bytes, not decoded
  // For pictures of any size that are decoded: each is scaled so that its shorter side has so many
  // pixels, and the centre of `shape` is cut out (io/store/short_side.h). 0: it is not scaled.
  int32_t short_side = 0;
  std::vector<int64_t> shape = {};  // of a record: for short_side and synthetic
  // synthetic: number and classes of the records; all > 0
  int64_t records = 1, classes = 1;
  // Order of colours, as the conf says, of pictures that are not decoded from an image file. With
  // kBlueFirst OpenStore reverses it, and readers see red first.
  ColourOrder colours = ColourOrder::kNotSaid;
  bool skips_bad = false;    // bad records are skipped, so no error advises to skip them
  bool for_new_job = false;  // CSV: errors advise flags of `singa new job`, not fields of a conf
  bool first_alone = false;  // textfile: only the first record is needed
  bool warns = true;  // warn of files left out; set it in only one of several stores on a file
};

// Files that a store does not read, although the user may take them for records.
struct LeftOut {
  static constexpr size_t kNamed = 5;

  int64_t count = 0;
  std::vector<std::string> first;  // names of the first few, for messages
};

// Makes a LeftOut from the names of all files, in any order.
LeftOut FirstOf(std::vector<std::string> names);
// Returns "7 files: a, b, c, d, e and 2 more". REQUIRES: there are some.
std::string LeftOutText(const LeftOut& left_out);
// Returns "leaves out 7 files: ...", and the reason.
std::string LeftOutNote(const LeftOut& left_out);

// The least and the greatest label of a store's records, and a record of each.
struct LabelRange {
  int32_t least = 0, greatest = 0;
  int64_t of_least = -1, of_greatest = -1;  // index of such a record; -1: there is no label

  void Add(int32_t label, int64_t record) {
    if (of_least < 0 || label < least) least = label, of_least = record;
    if (of_greatest < 0 || label > greatest) greatest = label, of_greatest = record;
  }
};

// The words that stand as labels where integers would stand.
struct LabelWords {
  static constexpr size_t kMostWords = 1000, kMostBytes = 200;  // of a word

  std::vector<std::string> words = {};  // in their order as bytes; empty: labels are no words
  int64_t records = 0;                  // number of records that were looked at
  bool all = false;                     // whether these are all records
};
// Returns a text in quotes, and a list `["cat", "dog"]`, as a conf has them.
std::string QuotedText(const std::string& text);
std::string QuotedList(const std::vector<std::string>& texts);
// Returns `class_names: ["cat", "dog"]`, as in a store_conf.
std::string ClassNamesText(const std::vector<std::string>& words);

class Store {
 public:
  virtual ~Store() = default;

  // Returns the number of records, at least 1.
  virtual int64_t size() const = 0;
  // Reads a record. Throws DataError, FileError. REQUIRES: 0 <= index < size().
  virtual const Sample& Read(int64_t index) = 0;
  // Returns the path of the file with the records.
  virtual const std::string& name() const = 0;
  // Returns the names of the classes, by label; empty: there are none.
  virtual std::vector<std::string> classes() const { return {}; }
  // Returns the names that a file's header gives to the numbers of a record, then to its targets;
  // empty: there is no header.
  virtual std::vector<std::string> columns() const { return {}; }
  virtual LeftOut left_out() const { return {}; }
  // Returns the range of all labels if finding it takes a fraction of a second, else none. Throws
  // FileError.
  virtual LabelRange Labels() { return {}; }
  // Returns the words of the labels of the first `most` records at most. There are none if a label
  // is a number or no UTF-8, if there are more than kMostWords, or if class_names is set. Throws
  // FileError.
  virtual LabelWords WordsOfLabels(int64_t /*most*/) { return {}; }
  // Returns file and record, and the line in a text, for errors.
  virtual std::string Where(int64_t index) const;
  // Returns the path of a record's picture; for a record without one, the file and the index.
  virtual std::string NameOf(int64_t index) const;
};

// Returns the shape of a record; if it gives none, the number of its numbers. Throws DataError if
// the record is empty or does not fit its shape, and the errors of Read.
std::vector<int32_t> RecordShape(Store* store, int64_t index = 0);

// Meaning of the setting `encoded` for a kind of store.
enum class Encoded : uint8_t {
  kAsSaid,   // values may be image files if it is set
  kIgnored,  // the store finds image files without it
  kRefused,  // records are numbers and hold no image files
};

// Facts of a kind of store, known before a store is opened.
struct StoreTraits {
  bool any_format = false;     // StoreOptions::format gives the format of values
  bool lines = false;          // lines of text: the first record is quick to read (first_alone)
  bool targets = false;        // records may have targets
  bool label_file = false;     // labels are in a separate file (StoreOptions::label_path)
  bool picture_files = false;  // records are image files, each with a name
  bool class_folders = false;  // classes are folders, which have names
  bool no_file = false;        // records are generated
  bool raw_datums = false;     // pictures do not give the order of their colours
  Encoded encoded = Encoded::kAsSaid;
  const char* known_as = "";  // other names that users may try, in lower case: "csv tsv"
  // Returns whether indexing a store at `path` takes a fraction of a second. If this is null or
  // returns nullopt, the size of the files decides.
  std::optional<bool> (*is_quick)(const std::string& path) = nullptr;
};

// Stores by the name in StoreProto.backend. Makers open the store and throw DataError or FileError.
using StoreRegistry = Registry<Store, const StoreOptions&>;
StoreRegistry& Stores();
// Returns the traits of the store that is registered by this name, else the defaults.
const StoreTraits& TraitsOf(const std::string& backend);
bool AddStore(const char* backend, StoreRegistry::Maker open, const StoreTraits& traits,
              const char* file = __builtin_FILE());

// SINGA_REGISTER_STORE(idx, OpenIdx, .label_file = true);
// OpenIdx: const StoreOptions& to unique_ptr<Store>. The rest are its StoreTraits.
#define SINGA_REGISTER_STORE(backend, open, ...)                 \
  [[maybe_unused]] const bool singa_registered_store_##backend = \
      ::singa::AddStore(#backend, open, ::singa::StoreTraits{__VA_ARGS__})

// Returns the end of an error about `name`, which is none of the stores `names`: the store probably
// meant, if any, and all names.
std::string StoreHint(const std::string& name, const std::vector<std::string>& names);
// Throws ConfigError("", ...) for a backend that is unknown or not built yet.
void CheckBackend(const std::string& backend);
// Opens a store. Throws DataError, FileError, and the errors of CheckBackend.
std::unique_ptr<Store> OpenStore(const std::string& backend, const StoreOptions& options);

}  // namespace singa
