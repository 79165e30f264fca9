#include "driver/plugin/plugin_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "io/checkpoint/mapped_file.h"
#include "singa/base/error.h"
#include "singa/driver/plugin.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Refuse(const std::string& text, ExitCode code = kExitConfig) {
  throw ConfigError("", text, code);
}

struct stat StatusOf(const std::string& place) {
  struct stat status;
  if (::lstat(place.c_str(), &status) != 0)
    throw FileError(kExitNoInput, place, std::strerror(errno));
  return status;
}

// Throws if another user may replace `entry` in `folder`. In a sticky folder only the owner of
// `entry` may.
void CheckFolder(const fs::path& folder, const fs::path& entry) {
  const mode_t mode = StatusOf(folder).st_mode;
  if (!(mode & S_IWOTH)) return;
  if (!(mode & S_ISVTX))
    Refuse(StrCat("lies in \"", Printable(folder),
                  "\", where anybody may put another in its place: chmod o-w, or +t"),
           kExitNoPermission);
  const uid_t owner = StatusOf(entry).st_uid;
  if (owner != 0 && owner != ::geteuid())
    Refuse(StrCat("lies in \"", Printable(folder), "\", where anybody may put things, and \"",
                  Printable(entry), "\" belongs to another user, number ", owner),
           kExitNoPermission);
}

// Throws if other users may write or replace the file, whose code singa will run. Checks each
// folder of the path, from "/" on and along links. The file is later opened again by its name,
// which then nobody else can change.
void CheckWriters(const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) Refuse("is in no folder: " + error.message(), kExitNoInput);
  std::deque<fs::path> to_go(whole.begin(), whole.end());
  fs::path at;
  for (int links = 0; !to_go.empty();) {
    const fs::path name = to_go.front();
    to_go.pop_front();
    if (name == "/") at = name;
    if (name == "..") at = at.parent_path();
    if (name == "/" || name == ".." || name == "." || name.empty()) continue;
    const fs::path entry = at / name;
    CheckFolder(at, entry);
    if (!S_ISLNK(StatusOf(entry).st_mode)) {
      at = entry;
      continue;
    }
    if (++links > kMaxLinks) Refuse("is behind too many links", kExitNoInput);
    const fs::path target = fs::read_symlink(entry, error);
    if (error) Refuse("is behind a link that changes", kExitNoInput);
    to_go.insert(to_go.begin(), target.begin(), target.end());
  }
  if (StatusOf(at).st_mode & S_IWOTH)
    Refuse("may be written by anybody, and its code would run here: chmod o-w", kExitNoPermission);
}

// Returns the text after the mark; "": the file has no mark.
std::string AbiOf(std::string_view bytes) {
  const size_t mark = bytes.find(SINGA_PLUGIN_MARK "singa version: ");
  if (mark == std::string_view::npos) return "";
  constexpr size_t kMost = 4096;
  bytes = bytes.substr(mark + sizeof(SINGA_PLUGIN_MARK) - 1, kMost);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

// Returns "protobuf version is 3021011, here 3021012" for the first line that differs.
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
