#include "io/checkpoint/manifest.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file/sha256.h"
#include "base/text/json_text.h"
#include "io/checkpoint/json_text.h"

namespace singa {
namespace {

using nlohmann::json;

// The text ends with kBeforeSum, the SHA-256 of all text before its digits, and kAfterSum. All
// formats do so, so that a reader can tell damage from a newer format.
constexpr std::string_view kBeforeSum = ",\n  \"manifest_sha256\": \"";
constexpr std::string_view kAfterSum = "\"\n}\n";
constexpr size_t kSumDigits = 64;

std::string CrcText(uint32_t crc) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

json ToJson(const RunValue& value) {
  if (!value.is_number()) return value.text();
  if (value.text().starts_with('-')) return std::stoll(value.text());
  return std::stoull(value.text());
}

bool IsHex(const std::string& text, size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class ManifestReader {
 public:
  explicit ManifestReader(const std::string& file) : file_(file) {}

  [[noreturn]] void Fail(const std::string& why) const { throw DataError(file_, -1, why); }

  const json& Object(const json& parent, const char* key) const {
    const json& value = Get(parent, key);
    if (!value.is_object()) Fail(StrCat("\"", key, "\" is not an object"));
    return value;
  }

  int64_t Number(const json& parent, const char* key) const {
    const json& value = Get(parent, key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
      Fail(StrCat("\"", key, "\" is not a whole number >= 0"));
    return value.get<int64_t>();
  }

  std::string Digits(const json& parent, const char* key, size_t digits) const {
    const json& value = Get(parent, key);
    if (!value.is_string() || !IsHex(value.get_ref<const std::string&>(), digits))
      Fail(StrCat("\"", key, "\" is not a text of ", digits, " hexadecimal digits"));
    return value.get<std::string>();
  }

  std::string Text(const std::string& key, const json& value) const {
    if (!value.is_string()) Fail(StrCat("conf: ", Quote(key), " is no text"));
    return value.get<std::string>();
  }

  RunValue Value(const std::string& key, const json& value) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_unsigned()) return value.get<uint64_t>();
    if (!value.is_number_integer())
      Fail(StrCat("run: ", Quote(key), " is no text or whole number"));
    return value.get<int64_t>();
  }

 private:
  const json& Get(const json& parent, const char* key) const {
    const auto it = parent.find(key);
    if (it == parent.end()) Fail(StrCat("has no \"", key, "\""));
    return *it;
  }

  const std::string& file_;
};

void CheckSum(std::string_view text, const ManifestReader& reader) {
  if (text.size() < kSumDigits + kAfterSum.size() || !text.ends_with(kAfterSum))
    reader.Fail("is cut off or damaged: it does not end with its checksum");
  const size_t covered = text.size() - kAfterSum.size() - kSumDigits;
  if (Sha256Hex(text.data(), covered) != text.substr(covered, kSumDigits))
    reader.Fail("is damaged: its checksum does not match");
}

}  // namespace

std::string ManifestText(const Manifest& manifest) {
  json root = {{"format", kCheckpointFormat},
               {"step", manifest.step},
               {"conf_sha256", manifest.conf_sha256},
               {"run", json::object()},
               {"files", json::object()},
               {"tensors", json::object()}};
  for (const auto& [path, value] : manifest.conf) root["conf"][path] = value;
  for (const auto& [key, value] : manifest.run) root["run"][key] = ToJson(value);
  for (const auto& [name, file] : manifest.files)
    root["files"][name] = {{"size", file.bytes}, {"sha256", file.sha256}};
  for (const auto& [name, crc] : manifest.crc32c)
    root["tensors"][name] = {{"crc32c", CrcText(crc)}};
  std::string text = JsonText(root, 2);
  text.resize(text.size() - std::string_view("\n}").size());
  text += kBeforeSum;
  return text + Sha256Hex(text) + std::string(kAfterSum);
}

Manifest ParseManifest(std::string_view text, const std::string& file) {
  const ManifestReader reader(file);
  CheckSum(text, reader);
  const json root = ParseJson(text, file, {.depth = 8});
  if (!root.is_object()) reader.Fail("is not an object");
  const int64_t format = reader.Number(root, "format");
  if (format > kCheckpointFormat) throw NewerFormatError(file, format);
  if (format < 1) reader.Fail(StrCat("has format ", format));
  Manifest manifest;
  manifest.step = reader.Number(root, "step");
  manifest.conf_sha256 = reader.Digits(root, "conf_sha256", kSumDigits);
  if (root.contains("conf"))
    for (const auto& item : reader.Object(root, "conf").items())
      manifest.conf[item.key()] = reader.Text(item.key(), item.value());
  for (const auto& item : reader.Object(root, "run").items())
    manifest.run[item.key()] = reader.Value(item.key(), item.value());
  const json& files = reader.Object(root, "files");
  for (const auto& item : files.items()) {
    const json& entry = reader.Object(files, item.key().c_str());
    manifest.files[item.key()] = {reader.Number(entry, "size"),
                                  reader.Digits(entry, "sha256", kSumDigits)};
  }
  const json& tensors = reader.Object(root, "tensors");
  for (const auto& item : tensors.items()) {
    const json& entry = item.value();
    if (!entry.is_object())
      reader.Fail(StrCat("tensors: ", Quote(item.key()), " is not an object"));
    manifest.crc32c[item.key()] =
        static_cast<uint32_t>(std::stoul(reader.Digits(entry, "crc32c", 8), nullptr, 16));
  }
  return manifest;
}

}  // namespace singa
