#include "driver/data/other_files.h"

#include <filesystem>
#include <map>

#include "base/file/file_system.h"
#include "singa/base/str_cat.h"

namespace singa {

void RequireOtherFiles(const Arguments& args,
                       const std::vector<std::pair<std::string, std::string>>& files) {
  std::map<std::filesystem::path, std::string> places;
  for (const auto& [name, path] : files) {
    if (path.empty()) continue;
    const auto [other, added] = places.emplace(PlaceOf(path), name);
    if (!added) args.ThrowUsage(StrCat(other->second, " and ", name, " are the same file, ", path));
  }
}

}  // namespace singa
