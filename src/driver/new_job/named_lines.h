// NamedLines are lines of a table, of which a message names the first few.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "io/table/table_scan.h"
#include "singa/base/str_cat.h"

namespace singa {

class NamedLines {
 public:
  // Adds the line that the scan read last.
  void Add(TableScan* scan) {
    constexpr int64_t kNamed = 5;
    if (++count_ <= kNamed) first_.push_back(scan->LineNumber());
  }

  int64_t count() const { return count_; }
  // Returns the number of the first line. REQUIRES: count() > 0.
  int64_t first() const { return first_.front(); }

  // Returns "line 7", or "lines 7, 8, 12, 13, 20 and 5 more". REQUIRES: count() > 0.
  std::string Text() const {
    std::string text = count_ == 1 ? "line " : "lines ";
    for (size_t i = 0; i < first_.size(); ++i) text += StrCat(i == 0 ? "" : ", ", first_[i]);
    const int64_t more = count_ - std::ssize(first_);
    return more > 0 ? StrCat(text, " and ", more, " more") : text;
  }

 private:
  int64_t count_ = 0;
  std::vector<int64_t> first_;  // numbers, from 1
};

}  // namespace singa
