// BoardRun is a workspace that `singa board` shows. Any thread may call; one at a time reads files.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "driver/board/job_state.h"
#include "driver/board/row_index.h"
#include "driver/board/workspace_files.h"

namespace singa {

struct RowsRequest {
  int64_t after = 0;                       // rows before this one are known
  std::optional<int64_t> generation = {};  // of these rows; none: that of the file now
  int64_t most = 2000;                     // rows of one series
};

// The newest row of a series, and sums over its rows.
struct NewestRow {
  nlohmann::json row;
  double bytes_sent = 0, bytes_received = 0;
};

// The newest rows of a run.
struct RunState {
  std::string name, job;
  bool live = false;
  int64_t rows = 0, malformed = 0;
  std::vector<NewestRow> newest;
};

class BoardRun {
 public:
  // `name` is unique among the runs of a board.
  BoardRun(int number, std::string name, const std::string& folder);

  const std::string& name() const { return name_; }
  int number() const { return number_; }

  // Returns the run's entry in /api/runs. An error is part of it.
  nlohmann::ordered_json Summary();
  // Returns the text of /api/rows. Throws FileError.
  std::string Rows(const RowsRequest& request);
  // Returns what /metrics needs. A run that cannot be read has no rows.
  RunState State();
  const WorkspaceFiles& files() const { return files_; }

 private:
  // Returns rows as JSON objects. A line that is none is left out.
  std::vector<nlohmann::json> Parsed(const std::vector<int64_t>& rows) REQUIRES(mutex_);
  // Finds names_ again if rows with other fields have come.
  void FindNames() REQUIRES(mutex_);

  const int number_;
  const std::string name_;
  const WorkspaceFiles files_;
  Mutex mutex_;  // taken for the whole of a read
  RowIndex index_ GUARDED_BY(mutex_);
  JobStateReader job_ GUARDED_BY(mutex_);
  // The phases, metrics, values and layers that rows have.
  nlohmann::ordered_json names_ GUARDED_BY(mutex_);
  int64_t named_generation_ GUARDED_BY(mutex_) = 0, named_samples_ GUARDED_BY(mutex_) = -1;
};

// Returns a name for each folder: its own, with more of the path where two are equal.
std::vector<std::string> RunNames(const std::vector<std::string>& folders);

}  // namespace singa
