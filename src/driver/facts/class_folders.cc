#include "driver/facts/class_folders.h"

#include <algorithm>
#include <iterator>

#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the text of the first name that `others` lacks. REQUIRES: there is one.
std::string FolderOutside(const std::vector<std::string>& names,
                          const std::vector<std::string>& others) {
  const auto name = std::ranges::find_if(
      names, [&](const std::string& each) { return !std::ranges::binary_search(others, each); });
  return StrCat("folder \"", Printable(*name), "\"");
}

}  // namespace

// Both lists are sorted. So a name that stands further in front in `own` than in `trained` has a
// missing one before it, and a name that stands further behind has an extra one before it.
std::string MovedFolder(const std::vector<std::string>& trained,
                        const std::vector<std::string>& own) {
  if (!std::ranges::is_sorted(trained) || !std::ranges::is_sorted(own)) return "";  // no folders
  for (int64_t label = 0; label < std::ssize(own); ++label) {
    const auto at = std::ranges::lower_bound(trained, own[label]);
    const int64_t right = at - trained.begin();
    if (at == trained.end() || *at != own[label] || right == label) continue;
    const std::string moved =
        StrCat("so \"", Printable(own[label]), "\" gets label ", label, ", in training ", right);
    if (right < label)
      return StrCat("the class ", FolderOutside(own, trained), " is not in the training, ", moved,
                    "; take it out of the test");
    const std::string missing = FolderOutside(trained, own);
    return StrCat("the class ", missing, " of the training is missing, ", moved,
                  "; if the class has no pictures here, make an empty ", missing,
                  " and set on_bad_record: kSkip");
  }
  return "";
}

}  // namespace singa
