// AlignedTable prints rows of texts as columns, for people.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "singa/base/error.h"

namespace singa {

// Returns a line for each row, with two blanks between columns. The first `left` columns are
// aligned left, the others right. Control characters, such as those of a layer's name, are shown as
// in Printable. REQUIRES: all rows have as many texts as the first one.
inline std::string AlignedTable(std::vector<std::vector<std::string>> rows, size_t left) {
  if (rows.empty()) return "";
  for (std::vector<std::string>& row : rows)
    for (std::string& cell : row) cell = Printable(cell);
  std::vector<size_t> width(rows[0].size());
  for (const std::vector<std::string>& row : rows)
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string fill(width[i] - row[i].size(), ' ');
      line += i == 0 ? "" : "  ";
      line += i < left ? row[i] + fill : fill + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace singa
