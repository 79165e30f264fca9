#include "base/file/temporary_name.h"

#include "base/file/sha256.h"

namespace singa {
namespace {

constexpr size_t kRandomBytes = 8;
constexpr size_t kRandomDigits = 2 * kRandomBytes;

// Returns whether random digits, and then the end of a name, are at `at`.
bool HasDigitsAt(const std::string& path, size_t at) {
  const size_t end = path.find_first_not_of("0123456789abcdef", at);
  const size_t stop = end == std::string::npos ? path.size() : end;
  return stop - at == kRandomDigits && (stop == path.size() || path[stop] == '/');
}

}  // namespace

std::string TemporaryStem(const std::string& path) { return path + ".tmp."; }

std::string TemporaryName(const std::string& path) {
  return TemporaryStem(path) + RandomHex(kRandomBytes);
}

std::string FinalName(const std::string& path) {
  std::string name = path;
  for (const std::string mark : {".tmp.", ".old."})
    for (size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1))
      if (HasDigitsAt(name, at + mark.size())) name.erase(at, mark.size() + kRandomDigits);
  return name;
}

}  // namespace singa
