// manifest.json describes a checkpoint, with checksums of all files, all tensors and itself.
// proto/README.md has the layout.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "singa/base/error.h"

namespace singa {

inline constexpr int64_t kCheckpointFormat = 1;

// A text or a whole number. Numbers compare by value, whatever type they came from.
class RunValue {
 public:
  RunValue() = default;
  RunValue(std::string text) : text_(std::move(text)) {}
  RunValue(const char* text) : text_(text) {}
  template <std::integral T>
  RunValue(T number) : is_number_(true), text_(std::to_string(number)) {}

  bool is_number() const { return is_number_; }
  const std::string& text() const { return text_; }
  bool operator==(const RunValue& other) const = default;

 private:
  bool is_number_ = false;
  std::string text_;
};

struct Manifest {
  struct File {
    int64_t bytes = 0;
    std::string sha256;
  };
  int64_t step = 0;
  std::string conf_sha256;
  std::map<std::string, std::string> conf;  // path -> value of its fields; empty in older files
  std::map<std::string, RunValue> run;      // seed, topology, ...; -resume compares them
  std::map<std::string, File> files;
  std::map<std::string, uint32_t> crc32c;  // of each tensor of all files
};

// A newer program wrote the checkpoint.
class NewerFormatError : public DataError {
 public:
  NewerFormatError(const std::string& file, int64_t format)
      : DataError(file, -1,
                  StrCat("has format ", format, "; this singa reads formats up to ",
                         kCheckpointFormat, ": use a newer singa, or remove that checkpoint")) {}
};

std::string ManifestText(const Manifest& manifest);
// Parses a manifest. Throws DataError naming `file` if a byte is not as ManifestText wrote it, or
// NewerFormatError.
Manifest ParseManifest(std::string_view text, const std::string& file);

}  // namespace singa
