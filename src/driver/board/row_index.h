// RowIndex knows where each row of a workspace's metrics.jsonl is. It reads each byte of the file
// once, and keeps 16 bytes for a row. Rows are numbered from 0; lines that are no rows do not
// count. One thread may use it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/board/choose_rows.h"
#include "driver/board/row_outline.h"
#include "driver/board/workspace_files.h"

namespace singa {

// Rows of one phase, group, layer and process.
struct RowSeries {
  std::string phase, layer;  // with JSON's escapes, as in the file
  int64_t group = 0;
  int64_t rank = -1;  // of a process
  int64_t rows = 0, first = 0, newest = 0;
  int64_t step = 0;                           // of the newest row
  double bytes_sent = 0, bytes_received = 0;  // sums over all rows
  std::vector<int64_t> samples;               // one row for each set of fields, up to a limit
  std::vector<size_t> keys;                   // hashes of these sets
};

class RowIndex {
 public:
  // `files` must outlive it.
  explicit RowIndex(const WorkspaceFiles* files);

  // Reads what is new in the file. Starts again if the file has been cut back or replaced. Throws
  // FileError.
  void Update();

  int64_t rows() const { return static_cast<int64_t>(rows_.size()); }
  int64_t malformed() const { return malformed_; }  // lines that are no rows
  // Changes when the index starts again. Rows of another generation are those of another file.
  int64_t generation() const { return generation_; }
  // When the file was changed, in seconds since 1970; 0: there is none.
  double changed() const;
  const std::vector<RowSeries>& series() const { return series_; }
  // The number of all samples of the series.
  int64_t samples() const { return samples_; }
  ChosenRows Choose(int64_t after, int64_t most) const {
    return ChooseRows(rows_, after, static_cast<int>(series_.size()), most);
  }
  // Returns the lines of rows, which are ascending, or only of the first ones if the lines are
  // large (more than 64 MiB together). A line is "" if the file has changed meanwhile. Throws
  // FileError.
  std::vector<std::string> Lines(const std::vector<int64_t>& rows) const;

 private:
  bool Continues(const WorkspaceFile& file) const;
  void Clear();
  void ReadNew(const WorkspaceFile& file);
  void AddLines(std::string_view text);
  void AddLine(std::string_view line, int64_t offset);
  int FindSeries(const RowOutline& head);

  const WorkspaceFiles& files_;
  struct stat status_ = {};  // of the file when it was last read
  int64_t end_ = 0;          // bytes of whole lines that have been read
  std::string tail_;         // the last of these bytes
  bool skips_ = false;       // in a line that is too long
  std::vector<IndexedRow> rows_;
  std::vector<RowSeries> series_;
  std::unordered_map<std::string, int> by_name_;
  std::string name_;  // scratch of FindSeries
  int64_t malformed_ = 0, samples_ = 0;
  int64_t generation_;
};

}  // namespace singa
