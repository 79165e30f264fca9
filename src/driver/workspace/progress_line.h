// FitLine makes a line of a terminal from fields that are shown whole or left out.
#pragma once

#include <string>
#include <vector>

namespace singa {

struct LineField {
  std::string before;  // text between it and the field on its left
  std::string text;
  int rank = 0;  // fields of the lowest rank are left out first; within a rank, the last one
};

// Returns the fields that fit into `width` columns, in their order; "" if none does.
std::string FitLine(std::vector<LineField> fields, size_t width);

}  // namespace singa
