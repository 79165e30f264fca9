// A finding about the user's job, and how findings are printed:
//
//   job.conf:7:22: error: neuralnet.layer[norm1].lrn_conf.knorm: must be > 0, is -1
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
  int line = 0, column = 0;  // from 1; column in bytes; line 0: no place in the file
  std::string set;           // the path of the -set option that gave the value, else ""
  std::string path;          // of the field; "": the whole file
  std::string text;
  int note_line = 0, note_column = 0;  // another place, shown after it; line 0: none
  std::string note;                    // what is there
  ExitCode code = kExitConfig;
};

using Diagnostics = std::vector<Diagnostic>;

// Control characters as \n, \x1b, ...: what a file says must not steer the terminal.
std::string Escape(std::string_view text);
// `text` for a message: escaped, and cut where it is long.
std::string Excerpt(std::string_view text);

// Keeps them in order of place; those of -set options last.
void Insert(Diagnostic diagnostic, Diagnostics* diagnostics);

// `F:LINE:COL: error: path: text`, or `-set PATH: error: text`, without a line break.
std::string ToString(const std::string& file, const Diagnostic& diagnostic);

// All of them, each with the line of `source` that it is about and a caret.
std::string Render(const std::string& file, const std::string& source,
                   const Diagnostics& diagnostics);

}  // namespace singa
