// Store: records on disk, read in any order by their index; and the table of its backends.
// A store is used by one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "singa/base/registry.h"

namespace singa {

// The label of a record that has none. A stored label may be negative: a loss may ignore it.
inline constexpr int32_t kNoLabel = std::numeric_limits<int32_t>::min();

// What one record holds, in the store's own memory: valid until its next Read. Numbers are planar
// (channels, height, width).
struct Sample {
  std::span<const float> data = {};  // wins over pixel if not empty
  std::span<const uint8_t> pixel = {};
  std::span<const int32_t> shape = {};  // as the record says; may be empty, or not fit
  int32_t label = kNoLabel;
  bool decoded = false;  // from an image file, whose shape it is

  int64_t size() const { return static_cast<int64_t>(data.empty() ? pixel.size() : data.size()); }
  bool has_label() const { return label != kNoLabel; }
  // Whether the shape is one of so many numbers, at least one.
  bool ShapeFits() const {
    int64_t numbers = 1;
    for (int32_t d : shape) numbers = d > 0 && numbers <= size() ? numbers * d : 0;
    return !shape.empty() && numbers == size() && numbers > 0;
  }
  // Why it is no record of shape `wanted`, which `who` ("the shape says") asks for; "": it is one.
  // A decoded picture must have the height and width, not only as many numbers.
  std::string Misfit(const std::vector<int64_t>& wanted, const std::string& who) const;
};

// In which order a picture's three colours stand.
enum class ColourOrder : uint8_t {
  kNotSaid,    // nobody says
  kRedFirst,   // as all pictures that are decoded from image files
  kBlueFirst,  // only of stored records: readers turn them round
  kRawDatum,   // as the program had it that wrote the Datum: Caffe's have blue first
};

// How the values of kvfile and textfile are written.
enum class ValueFormat {
  kRecord,  // RecordProto; in a textfile also its text form, or numbers as kCsv
  kCsv,     // numbers between separators
};

struct StoreOptions {
  std::string path = {};
  std::string label_path = {};  // idx
  ValueFormat format = ValueFormat::kRecord;
  std::string separator = ",";  // CSV
  bool has_label = true;        // whether a label is to be read
  int channels = 3;             // of decoded image files: 3, or 1 for grey
  bool encoded = false;         // a record's pixel is an image file (JPEG, PNG), to be decoded
  bool raw_files = false;       // imagefolder: pixels are the files' bytes, not decoded
  // synthetic: what its records look like, and how many there are; all > 0
  std::vector<int64_t> shape = {};
  int64_t records = 1, classes = 1;
  // Order of pictures that are not decoded from an image file, as the conf says. Readers see red
  // first where it says kBlueFirst.
  ColourOrder colours = ColourOrder::kNotSaid;
  bool first_alone = false;  // textfile: the first record is enough
  bool warns = true;         // of what it leaves out; one of several stores on a file is enough
};

// Files that stand where a store looks for records and are none, though the user may take them for
// records.
struct LeftOut {
  static constexpr size_t kNamed = 5;

  int64_t count = 0;
  std::vector<std::string> first;  // the names of the first few, for people
};

// Makes one of all their names, in any order.
LeftOut FirstOf(std::vector<std::string> names);
// "7 files: a, b, c, d, e and 2 more". REQUIRES: there are some.
std::string LeftOutText(const LeftOut& left_out);
// "leaves out 7 files: ...", and why.
std::string LeftOutNote(const LeftOut& left_out);

// The least and the greatest label of a store's records, and a record of each.
struct LabelRange {
  int32_t least = 0, greatest = 0;
  int64_t of_least = -1, of_greatest = -1;  // -1: there is no label

  void Add(int32_t label, int64_t record) {
    if (of_least < 0 || label < least) least = label, of_least = record;
    if (of_greatest < 0 || label > greatest) greatest = label, of_greatest = record;
  }
};

class Store {
 public:
  virtual ~Store() = default;

  // At least 1.
  virtual int64_t size() const = 0;
  // REQUIRES: 0 <= index < size(). Throws DataError, FileError.
  virtual const Sample& Read(int64_t index) = 0;
  // The file that records are in.
  virtual const std::string& name() const = 0;
  // Names of the classes, by label; empty where there are none.
  virtual std::vector<std::string> classes() const { return {}; }
  virtual LeftOut left_out() const { return {}; }
  // Gives the range of all records where it takes a fraction of a second to find out; else none.
  // Throws FileError.
  virtual LabelRange Labels() { return {}; }
  // For errors: file and record, and the line where there are lines.
  virtual std::string Where(int64_t index) const;
};

// Shape of a record; the number of its numbers where it says none. Throws DataError where it has
// none, or not as many as it says, and all that Read throws.
std::vector<int32_t> RecordShape(Store* store, int64_t index = 0);

// What a setting `encoded` means to a kind of store.
enum class Encoded : uint8_t {
  kAsSaid,   // values may be image files, where it is set
  kIgnored,  // the store knows without it
  kRefused,  // records are numbers and hold no image files
};

// Facts of a kind of store, known before one is opened.
struct StoreTraits {
  bool any_format = false;     // values are written as StoreOptions::format says
  bool lines = false;          // of text: the first record is quick to read (first_alone)
  bool label_file = false;     // labels are in a file of their own (StoreOptions::label_path)
  bool picture_files = false;  // records are image files in class folders, which have names
  bool no_file = false;        // records are made up
  bool raw_datums = false;     // pictures do not say the order of their colours
  Encoded encoded = Encoded::kAsSaid;
  const char* known_as = "";  // what users may call it, in small letters: "csv tsv"
  // Whether a store at `path` is indexed in a fraction of a second. If this is null or returns
  // nothing, the size of its files decides.
  std::optional<bool> (*is_quick)(const std::string& path) = nullptr;
};

// By the name in StoreProto.backend. Makers open the store; they throw DataError or FileError.
using StoreRegistry = Registry<Store, const StoreOptions&>;
StoreRegistry& Stores();
// Of the store that is registered by this name; without one, the defaults.
const StoreTraits& TraitsOf(const std::string& backend);
bool AddStore(const char* backend, StoreRegistry::Maker open, const StoreTraits& traits,
              const char* file = __builtin_FILE());

// SINGA_REGISTER_STORE(idx, OpenIdx, .label_file = true);
// OpenIdx: const StoreOptions& to unique_ptr<Store>. The rest are its StoreTraits.
#define SINGA_REGISTER_STORE(backend, open, ...)                 \
  [[maybe_unused]] const bool singa_registered_store_##backend = \
      ::singa::AddStore(#backend, open, ::singa::StoreTraits{__VA_ARGS__})

// For an error about `name`, which is none of the stores `names`: the one that was meant, if it is
// clear, and all of them.
std::string StoreHint(const std::string& name, const std::vector<std::string>& names);
// Throws ConfigError("", ...) for a name that is unknown or not built yet.
void CheckBackend(const std::string& backend);
// Throws ConfigError as CheckBackend; DataError, FileError.
std::unique_ptr<Store> OpenStore(const std::string& backend, const StoreOptions& options);

}  // namespace singa
