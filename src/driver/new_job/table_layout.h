// TableLayout says how the lines of a table are divided into fields.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "driver/new_job/job_request.h"

namespace singa {

struct TableLayout {
  std::string separator = {};
  bool header = false;
  std::vector<std::string> names = {};  // of the columns; empty: there is no header
  int64_t columns = 0;
  std::set<int64_t> left_out = {};  // columns, from 0, that the user leaves out
};

// Finds out what the request does not say, and adds a note for each decision. Throws DataError,
// FileError.
TableLayout TableLayoutOf(const JobRequest& request, std::vector<std::string>* notes);

// Returns `column 5, "rank"`, for a message. `at` counts from 0.
std::string ColumnLabel(const TableLayout& layout, int64_t at);

}  // namespace singa
