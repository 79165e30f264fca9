// Which file of a checkpoint_path gives each param of a net, judged by names and shapes alone:
// `singa check` and training ask the same.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/checkpoint/params_file.h"
#include "nn/graph/graph.h"
#include "singa/nn/declare.h"

namespace singa {

// The source of each param's first values, in net order.
struct InitReport {
  std::vector<std::string> loaded, initialised;
  std::vector<std::string> unused;          // in the files, but the net lacks them
  std::map<std::string, size_t> loaded_by;  // the file, by the param that it gives
  uint32_t checksum = 0;  // CRC32C of the values given, by param in the order of their names
  int64_t version = 0;    // updates that the last file's params had seen; 0: it does not say
};

// Which of the files must give a param of the net.
enum class Match { kEachFile, kOneFile };

class ParamSources {
 public:
  explicit ParamSources(const ParamTable* params) : params_(*params) {}

  // The file that checkpoint_path[index] names, in their order. A later one wins where two give a
  // param.
  void Add(size_t index, const std::string& path, const ParamsFile& file);

  // Relative to the JobProto: all shapes that differ, in one error for each file; a file without a
  // param of the net, where `match` asks for one.
  ConfigErrors Problems(Match match) const;
  InitReport Report() const;

 private:
  struct Source {
    size_t index;
    std::string path;
    std::vector<std::string> names;   // of params in the file, some of them
    std::vector<std::string> shapes;  // that differ, a text each
    bool gives = false;               // a param of the net, whatever its shape
  };

  const ParamTable& params_;
  std::vector<Source> sources_;
  std::map<std::string, size_t> loaded_by_;
  std::set<std::string> unused_;
  int64_t version_ = 0;
};

// The report of a job that starts from `files`, by their headers. Adds what is wrong to `errors`,
// relative to the JobProto, with the exit codes that loading them would have.
InitReport JudgeParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                           ConfigErrors* errors);

}  // namespace singa
