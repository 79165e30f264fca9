// These functions read and write small files of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file/file_system.h"

namespace singa {

// Returns the text of a file of at most `most_bytes`; none if it cannot be read, or is larger.
std::optional<std::string> ReadText(const std::string& path, int64_t most_bytes);
// Writes a file anew, by a rename, and does not sync it. Throws WriteError.
void WriteText(FileSystem* files, const std::string& path, const std::string& text);

}  // namespace singa
