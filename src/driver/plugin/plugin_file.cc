#include "driver/plugin/plugin_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <string_view>

#include "io/checkpoint/mapped_file.h"
#include "singa/base/error.h"
#include "singa/driver/plugin.h"

namespace singa {
namespace {

[[noreturn]] void Refuse(const std::string& text, ExitCode code = kExitConfig) {
  throw ConfigError("", text, code);
}

// Whoever may write the file, or put another one in its place, decides what singa does.
void CheckWriters(const std::string& path) {
  const auto by_anybody = [](const std::string& place, bool folder) {
    struct stat status;
    if (::stat(place.c_str(), &status) != 0) return false;
    return (status.st_mode & S_IWOTH) && !(folder && (status.st_mode & S_ISVTX));
  };
  const std::string file = std::filesystem::weakly_canonical(path).string();
  const std::string folder = std::filesystem::path(file).parent_path().string();
  if (by_anybody(file, false))
    Refuse("may be written by anybody, and its code would run here: chmod o-w", kExitNoPermission);
  if (by_anybody(folder, true))
    Refuse(StrCat("lies in \"", folder,
                  "\", where anybody may put another in its place: chmod "
                  "o-w, or +t"),
           kExitNoPermission);
}

// The text behind the mark; "" where the file has none.
std::string AbiOf(std::string_view bytes) {
  const size_t mark = bytes.find(SINGA_PLUGIN_MARK "singa version: ");
  if (mark == std::string_view::npos) return "";
  constexpr size_t kMost = 4096;
  bytes = bytes.substr(mark + sizeof(SINGA_PLUGIN_MARK) - 1, kMost);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

// "protobuf version is 3021011, here 3021012", for the first lines that differ.
std::string Difference(const std::string& theirs, const std::string& ours) {
  std::istringstream theirs_in(theirs), ours_in(ours);
  for (std::string a, b; std::getline(ours_in, b);) {
    std::getline(theirs_in, a);
    if (a == b) continue;
    const size_t colon = b.find(": ");
    const bool same_name = a.substr(0, colon) == b.substr(0, colon);
    return StrCat(b.substr(0, colon), " is ",
                  same_name ? Printable(a.substr(colon + 2)) : std::string("not given"), ", here ",
                  b.substr(colon + 2));
  }
  return "";
}

}  // namespace

void CheckPluginFile(const std::string& path) {
  std::string abi;
  try {
    const MappedFile file(path);
    CheckWriters(path);
    abi = AbiOf({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  } catch (const FileError& error) {
    const std::string text = error.what(), file = Printable(path) + ": ";
    Refuse(text.starts_with(file) ? text.substr(file.size()) : text, error.code());
  }
  if (abi.empty()) Refuse("is no plugin of singa: no source of it has SINGA_PLUGIN()");
  const std::string difference = Difference(abi, SINGA_ABI);
  if (!difference.empty()) Refuse(StrCat("was built for another singa: ", difference));
}

}  // namespace singa
