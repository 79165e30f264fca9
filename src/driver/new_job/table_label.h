// TableLabel says what a net learns from a table: classes, or real targets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/new_job/job_request.h"
#include "driver/new_job/table_layout.h"

namespace singa {

struct TableLabel {
  int64_t column = 0;                     // from 0; the first one of several targets
  std::string name = {};                  // label_column of the job
  int64_t targets = 0;                    // 0: classes
  int64_t records = 0;                    // of the table
  std::vector<std::string> classes = {};  // by label; empty: labels are integers from 0 on
  int64_t class_count = 0;
};

// Chooses the column and reads it, and adds a note for each decision. Throws DataError, FileError.
TableLabel TableLabelOf(const JobRequest& request, const TableLayout& layout,
                        std::vector<std::string>* notes);

}  // namespace singa
