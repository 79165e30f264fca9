// Diagnostic is a finding about the user's job. It is printed as:
//
//   job.conf:7:28: error: neuralnet.layer[norm1].lrn_conf.knorm: must be > 0, is -1
//     lrn_conf { local_size: 3 knorm: -1 }
//                              ^
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "singa/base/error.h"

namespace singa {

struct Diagnostic {
  enum Severity : uint8_t { kError, kWarning, kNote };

  Severity severity = kError;
  int line = 0, column = 0;  // from 1, the column in bytes; line 0: no place in the file
  std::string set;           // path of the -set option that gave the value, else ""
  std::string path;          // path of the field; "": the whole file
  std::string origin;        // of a field in a copy of a `repeat`: its path in the block
  std::string text;
  int note_line = 0, note_column = 0;  // another place to show after this one; line 0: none
  std::string note;                    // text about the other place
  ExitCode code = kExitConfig;
};

using Diagnostics = std::vector<Diagnostic>;

// Escapes control characters as \n, \x1b, ..., so that a file's content cannot control the
// terminal.
std::string Escape(std::string_view text);
// Returns `text` for a message: escaped, and cut if it is long.
std::string Excerpt(std::string_view text);

// Inserts a diagnostic in the order of places; those of -set options come last.
void Insert(Diagnostic diagnostic, Diagnostics* diagnostics);

// Returns `F:LINE:COL: error: path: text`, or `-set PATH: error: text`, without a line break.
std::string ToString(const std::string& file, const Diagnostic& diagnostic);

// Returns all diagnostics, each with its line of `source` and a caret.
std::string Render(const std::string& file, const std::string& source,
                   const Diagnostics& diagnostics);

}  // namespace singa
