// A line of a terminal, of fields that are shown whole or left out.
#pragma once

#include <string>
#include <vector>

namespace singa {

struct LineField {
  std::string before;  // between it and the field on its left
  std::string text;
  int rank = 0;  // fields of the lowest rank are left out first, of one rank the last of them
};

// The fields that fit into `width` columns, in their order; "" where none does.
std::string FitLine(std::vector<LineField> fields, size_t width);

}  // namespace singa
