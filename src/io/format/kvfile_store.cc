#include "io/format/kvfile_store.h"

#include <glog/logging.h>

#include <bit>
#include <cstring>
#include <utility>

#include "io/format/record_parsers.h"
#include "io/table/csv_parser.h"
#include "singa/base/error.h"

namespace singa {
namespace {

static_assert(std::endian::native == std::endian::little, "lengths are little-endian");

// Returns the length at `offset`. REQUIRES: 8 bytes are there.
uint64_t LengthAt(int64_t offset, ScanWindow* window) {
  uint64_t length;
  std::memcpy(&length, window->At(offset, sizeof(length)).data(), sizeof(length));
  return length;
}

std::unique_ptr<Store> OpenKvStore(const StoreOptions& options) {
  return NewKvFileStore(options, options.format == ValueFormat::kCsv ? NewCsvParser(options)
                                                                     : NewRecordParser(options));
}

SINGA_REGISTER_STORE(kvfile, OpenKvStore, .any_format = true, .targets = true,
                     .known_as = "kv bin records recordio");

}  // namespace

KvIndex IndexKvFile(const InputFile& file) {
  constexpr int64_t kLength = sizeof(uint64_t);
  KvIndex index;
  ScanWindow window(file);
  int64_t at = 0;
  while (at < file.size()) {
    const int64_t record = static_cast<int64_t>(index.values.size());
    index.tail = file.size() - at;
    if (index.tail < kLength) break;
    const uint64_t key = LengthAt(at, &window);
    if (key > kMaxKeyBytes)
      throw DataError(file.name(), record,
                      StrCat("a key of ", key, " bytes, the limit is ", kMaxKeyBytes,
                             "; damaged, or no kvfile"));
    const int64_t after_key = at + kLength + static_cast<int64_t>(key);
    if (after_key + kLength > file.size()) break;
    const uint64_t value = LengthAt(after_key, &window);
    if (value == 0 || value > kMaxValueBytes)
      throw DataError(file.name(), record,
                      StrCat("a value of ", value, " bytes, allowed are 1 to ", kMaxValueBytes,
                             "; damaged, or no kvfile"));
    const int64_t begin = after_key + kLength, size = static_cast<int64_t>(value);
    if (begin + size > file.size()) break;
    index.values.push_back({begin, size});
    at = begin + size;
    index.tail = 0;
  }
  return index;
}

InputFile OpenKvFile(const std::string& path) {
  try {
    return InputFile::Open(path);
  } catch (const FileError& error) {
    try {
      return InputFile::Open(path + "/shard.dat");
    } catch (const FileError&) {
      throw error;
    }
  }
}

std::vector<ValuePlace> ValuesOfKvFile(const InputFile& file, bool warns) {
  KvIndex index = IndexKvFile(file);
  if (index.values.empty())
    throw DataError(file.name(), -1, StrCat("holds no complete record in ", file.size(), " bytes"));
  if (index.tail && warns)
    LOG(WARNING) << file.name() << ": the last " << index.tail
                 << " bytes are an incomplete record and are left out; " << index.values.size()
                 << " records are used";
  return std::move(index.values);
}

std::unique_ptr<Store> NewKvFileStore(const StoreOptions& options,
                                      std::unique_ptr<ValueParser> parser) {
  InputFile file = OpenKvFile(options.path);
  std::vector<ValuePlace> values = ValuesOfKvFile(file, options.warns);
  return std::make_unique<ValueStore>(std::move(file), std::move(values), std::move(parser));
}

}  // namespace singa
