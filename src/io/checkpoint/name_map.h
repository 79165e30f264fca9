// A name map is a text file that tells which tensor of a file is which param of a net, for
// `singa ckpt import` and `ckpt export`.
//
//   line  := NAME-IN-FILE NAME-IN-NET SHAPE? "transpose"?      SHAPE: the tensor's in the file,
//   64,3,7,7
//
// Words are separated by spaces and tabs. "#" begins a comment. Each name occurs once in its
// column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "singa/tensor/shape.h"

namespace singa {

struct NamePair {
  std::string in_file, in_net;
  std::optional<Shape> shape = {};  // in the file; nothing: not given
  bool transpose = false;           // the file has the transposed matrix
  int line = 0;                     // from 1
};

// Parses the content of `file`. Throws DataError with the line.
std::vector<NamePair> ParseNameMap(std::string_view text, const std::string& file);
// Reads a file of at most 16 MiB. Throws FileError or DataError.
std::vector<NamePair> ReadNameMap(const std::string& file);

}  // namespace singa
