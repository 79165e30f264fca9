// A line of an image list names a picture, and behind it gives its label or its targets, after
// blanks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/store.h"

namespace singa {

struct ListedPicture {
  std::string name = {};  // as in the line; may have blanks
  int32_t label = kNoLabel;
  std::vector<float> targets = {};
};

// Parses a line. The last `targets` fields are targets; if that is 0, the last field is a label if
// `has_label` is true. Else the line is a name, and numbers behind the name of a picture are left
// out. Throws ValueError.
void ParseListedPicture(std::string_view line, bool has_label, int64_t targets,
                        ListedPicture* picture);
// Returns whether the line is the name of a picture, and perhaps numbers behind it.
bool IsListedPicture(std::string_view line);

}  // namespace singa
