#include "io/store/store_writer.h"

#include <cstdio>
#include <map>
#include <utility>

#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::map<std::string, WriterTraits>& AllWriterTraits() {
  static std::map<std::string, WriterTraits> traits;
  return traits;
}

}  // namespace

StoreWriterRegistry& StoreWriters() {
  static StoreWriterRegistry registry("store writer");
  return registry;
}

const WriterTraits& WriterTraitsOf(const std::string& format) {
  static const WriterTraits none;
  const auto it = AllWriterTraits().find(format);
  return it == AllWriterTraits().end() ? none : it->second;
}

std::string FormatOfName(const std::string& path, const std::string& other) {
  for (const auto& [format, traits] : AllWriterTraits())
    if (*traits.suffix && path.ends_with(traits.suffix)) return format;
  return other;
}

bool AddStoreWriter(const char* format, StoreWriterRegistry::Maker open, const WriterTraits& traits,
                    const char* file) {
  if (!StoreWriters().Add(format, std::move(open), file)) return false;
  AllWriterTraits()[format] = traits;
  return true;
}

std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files) {
  if (StoreWriters().Has(format)) return StoreWriters().Make(format, options, files);
  throw ConfigError(
      "", StrCat("cannot write \"", format, "\"", StoreHint(format, StoreWriters().Names())));
}

int64_t NumbersOf(const std::vector<int32_t>& shape) {
  int64_t n = 1;
  for (int64_t d : shape) {
    n = d > 0 ? n * d : 0;
    if (n > INT32_MAX) return INT32_MAX;
  }
  return n;
}

std::string RecordKey(int64_t index) {
  char key[24];
  const int length = std::snprintf(key, sizeof(key), "%08lld", static_cast<long long>(index));
  return {key, static_cast<size_t>(length)};
}

}  // namespace singa
