// JobRequest goes to the makers of jobs for `singa new job`, and NewJobText comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace singa {

struct JobRequest {
  std::string data = {};   // a table, or a folder of class folders
  std::string dir = {};    // folder of the job, as its paths name it
  std::string fresh = {};  // a new folder, in which files are written; it becomes `dir`
  uint64_t seed = 0;       // of the choice of test records
  // For tables.
  bool header = false;                      // there is one for sure
  std::string separator = {};               // "": found out
  std::string label_column = {};            // as StoreProto.label_column; "": found out
  std::vector<std::string> leave_out = {};  // columns, each as label_column
  std::optional<int64_t> targets{};         // real targets; 0: classes; none: found out
};

struct NewJobText {
  std::string conf = {};                // of the job
  std::vector<std::string> notes = {};  // what was decided, and why: a line for each
  std::string train = {}, test = {};    // files in `dir` with the records
  int64_t train_records = 0, test_records = 0;
  std::string usage = {};  // the end of a command for new records, such as "-topk 1 new.csv"
};

inline constexpr double kTestShare = 0.2;        // of the records
inline constexpr int64_t kLeastRecords = 5;      // of which one is for the test
inline constexpr int64_t kMostJobTargets = 100;  // R2 is for at most so many

}  // namespace singa
