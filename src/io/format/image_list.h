// These functions read lines of an image list. A line has the name of a picture and, behind blanks,
// its label or its targets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/store.h"
#include "io/table/class_words.h"

namespace singa {

struct ListedPicture {
  std::string name = {};  // as in the line; may have blanks
  int32_t label = kNoLabel;
  std::vector<float> targets = {};
};

// Parses a line. If `targets` is above 0, so many fields at its end are targets. Else, if
// `has_label` is true, the last field is a label: one of `words`, or without words an integer. Else
// the line is a name, and numbers or one word behind the name of a picture are left out. Throws
// ValueError.
void ParseListedPicture(std::string_view line, bool has_label, int64_t targets,
                        const ClassWords& words, ListedPicture* picture);
// Returns only the label behind the name, quickly; nullopt: there is none.
std::optional<int32_t> ListedLabel(std::string_view line, const ClassWords& words);
// Returns the last field of a line, where its label is; nullopt: it has one field only, or ends in
// the name of a picture.
std::optional<std::string> LabelFieldOf(std::string_view line);
// Returns the end of an error about the name of a picture that is not there; "": no advice.
std::string MissingAdvice(std::string_view name);
// Returns whether the line is the name of a picture, and perhaps numbers or one word behind it.
bool IsListedPicture(std::string_view line);

}  // namespace singa
