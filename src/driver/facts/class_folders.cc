#include "driver/facts/class_folders.h"

#include <algorithm>
#include <iterator>

#include "singa/base/error.h"

namespace singa {
namespace {

// Returns the first of the `count` first names that `others` lacks; the end if there is none.
std::vector<std::string>::const_iterator FirstOutside(const std::vector<std::string>& names,
                                                      int64_t count,
                                                      const std::vector<std::string>& others) {
  const auto end = names.begin() + count;
  const auto found = std::find_if(names.begin(), end, [&](const std::string& name) {
    return !std::ranges::binary_search(others, name);
  });
  return found == end ? names.end() : found;
}

std::string FolderText(const std::string& name) {
  return StrCat("folder \"", Printable(name), "\"");
}

}  // namespace

std::string MovedFolder(const std::vector<std::string>& trained,
                        const std::vector<std::string>& own) {
  if (!std::ranges::is_sorted(trained) || !std::ranges::is_sorted(own)) return "";  // no folders
  for (int64_t label = 0; label < std::ssize(own); ++label) {
    const auto at = std::ranges::lower_bound(trained, own[label]);
    const int64_t right = at - trained.begin();
    if (at == trained.end() || *at != own[label] || right == label) continue;
    const std::string moved =
        StrCat("so \"", Printable(own[label]), "\" gets label ", label, ", in training ", right);
    const auto missing = FirstOutside(trained, right, own);
    if (missing != trained.end())
      return StrCat("the class ", FolderText(*missing), " of the training is missing, ", moved,
                    "; if the class has no pictures here, make an empty ", FolderText(*missing),
                    " and set on_bad_record: kSkip");
    const auto extra = FirstOutside(own, label, trained);
    if (extra != own.end())
      return StrCat("the class ", FolderText(*extra), " is not in the training, ", moved,
                    "; take it out of the test");
  }
  return "";
}

}  // namespace singa
