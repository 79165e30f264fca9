// ParamSources finds the file of a checkpoint_path that gives each param of a net, by names and
// shapes alone. `singa check` and training both use it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/checkpoint/params_file.h"
#include "nn/graph/graph.h"
#include "singa/nn/declare.h"

namespace singa {

// The sources of all params' first values, in net order.
struct InitReport {
  std::vector<std::string> loaded, initialised;
  std::vector<std::string> unused;          // params in the files that the net lacks
  std::map<std::string, size_t> loaded_by;  // by param: index of the file that gives it
  std::set<std::string> transposed;         // loaded params whose file has the transposed matrix
  uint32_t checksum = 0;  // CRC32C of the loaded values, in the order of the params' names
  int64_t version = 0;    // updates that the last file's params had seen; 0: unknown
};

// Says which of the files must give a param of the net.
enum class Match { kEachFile, kOneFile };

class ParamSources {
 public:
  explicit ParamSources(const ParamTable* params) : params_(*params) {}

  // Adds the file that checkpoint_path[index] names; called in order. If two files give a param,
  // the later one wins.
  void Add(size_t index, const std::string& path, const ParamsFile& file);

  // Returns errors relative to the JobProto: one for each file with params of other shapes, and one
  // for each file without a param of the net, if `match` asks for one.
  ConfigErrors Problems(Match match) const;
  InitReport Report() const;

 private:
  struct Source {
    size_t index;
    std::string path;
    std::vector<std::string> names;   // some of the params in the file
    std::vector<std::string> shapes;  // a text for each shape that differs
    bool gives = false;               // has a param of the net, of any shape
  };

  const ParamTable& params_;
  std::vector<Source> sources_;
  std::map<std::string, size_t> loaded_by_;
  std::set<std::string> unused_, transposed_;
  int64_t version_ = 0;
};

// Returns the report of a job that starts from `files`, by their headers. Adds problems to
// `errors`, relative to the JobProto, with the exit codes that loading would have.
InitReport JudgeParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                           ConfigErrors* errors);

}  // namespace singa
