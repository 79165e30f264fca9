#include "io/picture/picture_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/text/lower_case.h"

namespace singa {
namespace {

std::string EndingOf(const std::string& path) {
  return LowerCase(std::filesystem::path(path).extension().string());
}

template <size_t n>
bool Has(const std::array<std::string_view, n>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

constexpr std::array<std::string_view, 7> kDecoded = {".jpg", ".jpeg", ".png", ".webp",
                                                      ".bmp", ".tif",  ".tiff"};
constexpr std::array<std::string_view, 15> kNotDecoded = {
    ".gif",  ".ppm", ".pgm", ".pbm", ".pnm", ".heic", ".heif", ".avif",
    ".jfif", ".jpe", ".jp2", ".jxl", ".ico", ".tga",  ".svg"};
constexpr std::array<std::string_view, 16> kNotes = {
    ".txt",  ".md",  ".rst",  ".csv",  ".tsv", ".json", ".jsonl", ".xml",
    ".yaml", ".yml", ".toml", ".html", ".htm", ".pdf",  ".log",   ".ini"};
constexpr std::array<std::string_view, 7> kBeside = {"readme",    "license", "licence",   "copying",
                                                     "thumbs.db", "md5sums", "sha256sums"};

}  // namespace

const char kPictureEndings[] = ".jpg, .jpeg, .png, .webp, .bmp, .tif and .tiff";

bool HasPictureName(const std::string& path) { return Has(kDecoded, EndingOf(path)); }

bool HasNameOfAnyPicture(const std::string& path) {
  return HasPictureName(path) || Has(kNotDecoded, EndingOf(path));
}

bool LiesBesideData(const std::string& path) {
  const std::filesystem::path file = path;
  const std::string name = LowerCase(file.filename().string());
  if (name.starts_with('.') || Has(kBeside, name) || Has(kNotes, EndingOf(path))) return true;
  return Has(kBeside, LowerCase(file.stem().string())) && !HasNameOfAnyPicture(path);
}

bool IsHiddenFolder(const std::string& name) { return name.starts_with('.') || name == "__MACOSX"; }

}  // namespace singa
