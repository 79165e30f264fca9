#include "driver/facts/peek_store.h"

#include <filesystem>
#include <vector>

#include "driver/facts/check_readers.h"
#include "io/reader/row_decoder.h"
#include "singa/base/error.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kQuickBytes = int64_t{64} << 20;  // scanning them takes a fraction of a second
// A text of no more than this is read whole.
constexpr int64_t kWholeBytes = int64_t{1} << 20, kWholeRecords = 10'000;

int64_t BytesOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : static_cast<int64_t>(bytes);
  }
  int64_t bytes = 0;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error)) bytes += BytesOf(it->path());
  return bytes;
}

bool IsQuick(const RowSource& source) {
  const StoreTraits& traits = TraitsOf(source.backend);
  const std::string& path = source.store.path;
  const std::optional<bool> says = traits.is_quick ? traits.is_quick(path) : std::nullopt;
  return says ? *says : BytesOf(path) <= kQuickBytes;
}

// Adds the error of `field`, which names `path`, unless another check reports it: that of files a
// missing file, and the layer an unknown backend.
void Add(const std::string& field, const std::string& path, const Error& error,
         ConfigErrors* errors) {
  std::error_code ignored;
  const bool missing = error.code() == kExitNoInput && !fs::exists(path, ignored);
  if (!missing && error.code() != kExitConfig)
    errors->push_back(ConfigError(field, error.what(), error.code()));
}

// Returns the number of records to read for errors: all of a small text, else the first one.
int64_t CountToRead(const RowSource& source, const Store& store, PeekAt at) {
  if (at == PeekAt::kFacts || !TraitsOf(source.backend).lines) return 1;
  const bool small = store.size() <= kWholeRecords || BytesOf(source.store.path) <= kWholeBytes;
  return small ? store.size() : 1;
}

// Reads the first `count` records. Reports no missing file: the store is there, so it is a mean
// file or one of its pictures.
void ReadRecords(const RowSource& source, int64_t count, Store* store, ConfigErrors* errors) {
  std::vector<float> row;
  const char* field = "path";
  try {
    const RowDecoder rows(source.shape, source.norm, source.backend, source.store);
    if (source.max_bad > 0) return;
    row.resize(rows.size());
    for (int64_t i = 0; i < count; ++i) {
      const Sample& sample = store->Read(i);
      if (i == 0) field = "shape";  // the record can be read, so its shape is wrong
      rows.Decode(sample, *store, i, row.data());
      field = "path";
    }
  } catch (const Error& error) {
    if (error.code() != kExitNoInput) Add(field, source.store.path, error, errors);
  }
}

}  // namespace

PeekedStore PeekStore(const RowSource& source, PeekAt at) {
  PeekedStore peeked;
  StoreOptions options = source.store;
  options.warns = false;
  const bool quick = IsQuick(source);
  options.first_alone = !quick;
  if (!quick && !TraitsOf(source.backend).lines) return peeked;
  try {
    const std::unique_ptr<Store> store = OpenStore(source.backend, options);
    ReadRecords(source, quick ? CountToRead(source, *store, at) : 1, store.get(), &peeked.errors);
    if (quick) peeked.facts = FactsOf(source.backend, options, store.get());
  } catch (const Error& error) {
    const bool labels = !options.label_path.empty() &&
                        std::string(error.what()).starts_with(options.label_path + ":");
    Add(labels ? "label_path" : "path", labels ? options.label_path : options.path, error,
        &peeked.errors);
  }
  return peeked;
}

ConfigErrors PeekReader(Net* net, NetNode* node) {
  ConfigErrors errors;
  RecordReader* const reader = node->layer ? node->layer->reader() : nullptr;
  if (!reader || reader->store() || node->conf.has_user_type()) return errors;
  const auto& [field, path] = node->declared().files.front();
  if (BytesOf(path) > kQuickBytes) return errors;
  try {
    reader->CountRecords();  // opens the file
    const int64_t largest = reader->LargestIndex();
    if (largest < 0) return errors;
    for (const std::string& text : CheckReaders(net, node->name, {static_cast<float>(largest)}))
      errors.push_back(ConfigError(field, StrCat(path, ": ", text), kExitBadData));
  } catch (const Error& error) {
    Add(field, path, error, &errors);
  }
  return errors;
}

}  // namespace singa
