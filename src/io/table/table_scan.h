// TableScan reads a file of CSV line by line, as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/input_file.h"
#include "io/store/store.h"
#include "io/table/csv_fields.h"
#include "io/table/line_index.h"

namespace singa {

class TableScan {
 public:
  // `header`: the first line has the names of the columns. Throws DataError, FileError.
  TableScan(const std::string& path, const std::string& separator, bool header);

  // Returns the names of the columns; empty: there is no header.
  const std::vector<std::string>& names() const { return names_; }
  // Reads the fields of the next line, which are valid until the next call. Returns false if there
  // is none. If a separator ends the line, an empty field ends the list. Throws DataError,
  // FileError.
  bool Next(std::vector<std::string_view>* fields);
  // Returns the line that Next read.
  const std::string& line() const { return line_; }
  // Returns the number of that line, from 1. It reads the file up to there.
  int64_t LineNumber() { return lines_.At(file_, offset_); }

 private:
  void ReadLine(const ValuePlace& place);

  const InputFile file_;
  const CsvFields fields_;
  LineScan scan_;
  std::vector<std::string> names_;
  std::string line_;
  int64_t offset_ = 0;  // of the line
  LineCounter lines_;
};

// How wide the lines of a table without a header are.
struct TableWidth {
  int64_t columns = 0;  // fields of a line
  bool open = false;    // a separator ends such a line, so there may be one column more
};

TableWidth WidthOf(std::string_view line, const CsvFields& fields);
// Returns the width that most of the first lines have; of widths that are as frequent, the one that
// comes first. Unless table.format says that all lines are CSV, others do not count; 0: all are
// others.
TableWidth WidthOf(const StoreOptions& table);

}  // namespace singa
