// LineScan and IndexLines find the lines of a text, each of which is a record.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file/input_file.h"
#include "io/file/scan_window.h"
#include "io/table/csv_fields.h"

namespace singa {

constexpr int64_t kMaxLineBytes = int64_t{1} << 26;

// Returns the bytes of the mark that Windows programs put before UTF-8 text; 0: there is none.
int64_t ByteOrderMark(std::string_view text);

// LineCounter numbers the lines of a file. It counts each block of the file once, so that a file
// with many bad records is not read from its start for each of them.
class LineCounter {
 public:
  // Returns the number, from 1, of the line at `offset`. `file` is the same in each call.
  int64_t At(const InputFile& file, int64_t offset);

 private:
  std::vector<int64_t> lines_ = {1};  // numbers of the lines at which the blocks begin
};

// Returns the number, from 1, of the line at `offset`. It reads the file up to there.
inline int64_t LineAt(const InputFile& file, int64_t offset) {
  return LineCounter().At(file, offset);
}

// Finds one line after the other. A line that is blank, or has separators alone, is left out.
class LineScan {
 public:
  // `file` outlives it. Throws DataError for text in UTF-16, and for workbooks of spreadsheets.
  explicit LineScan(const InputFile& file, const std::string& separators = "");

  // Returns the place of the next line, without its end; none: there are no more. Throws DataError
  // for a line of more than kMaxLineBytes.
  std::optional<ValuePlace> Next();

  // Returns the place of `first`, the line that Next returned last, and of the lines that it needs
  // behind it: a field in quotes may have line breaks. None: a quote does not close in 32 lines and
  // 1 MiB.
  std::optional<ValuePlace> WithQuoted(ValuePlace first);

 private:
  const InputFile& file_;
  const CsvFields fields_;
  ScanWindow window_;
  int64_t at_ = 0;
};

// Returns the next `most` lines of a scan.
std::vector<ValuePlace> IndexLines(LineScan scan,
                                   int64_t most = std::numeric_limits<int64_t>::max());

}  // namespace singa
