// MovedParams gives params the names and shapes that they have at another place: a file's in a net,
// or a net's in a file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/name_map.h"
#include "io/checkpoint/params_file.h"
#include "io/checkpoint/stored_tensor.h"

namespace singa {

class MovedParams {
 public:
  // `map`: the file of `pairs`, for errors; "": there are none.
  MovedParams(std::string map, std::vector<NamePair> pairs)
      : map_(std::move(map)), pairs_(std::move(pairs)) {}

  // Return the params of `file` under their names in the net, or in the file to write. Names that
  // no pair has stay. Mistakes, such as a name that `file` lacks, are added to problems().
  std::vector<StoredTensor> ToNet(const ParamsFile& file);
  std::vector<StoredTensor> ToFile(const ParamsFile& file);

  // Returns the transposed matrix. Its values are valid while this object exists.
  StoredTensor Transposed(const StoredTensor& matrix);
  // Returns whether a pair says that the file has the transposed matrix of a param of the net.
  bool IsTransposed(const std::string& in_net) const;
  // Returns the name in the net of a param of the file.
  std::string NameInNet(const std::string& in_file) const;

  void AddProblem(const std::string& text) { problems_.push_back(text); }
  // Throws DataError with all problems of `file`, if there are any.
  void ThrowProblems(const std::string& file) const;

 private:
  std::vector<StoredTensor> Move(const ParamsFile& file, bool to_net);
  StoredTensor Moved(const NamePair& pair, const ParamsFile::Entry& entry, bool to_net);
  std::string PlaceOf(const NamePair& pair) const;

  const std::string map_;
  const std::vector<NamePair> pairs_;
  std::vector<std::vector<float>> transposed_;  // values of tensors that were returned
  std::vector<std::string> problems_;
};

}  // namespace singa
