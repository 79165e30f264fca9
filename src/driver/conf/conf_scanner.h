// Reads a text-format file for its structure: the place of every field, and everything in it that
// the schema does not allow, in one pass. Values are protobuf's to parse, afterwards.
#pragma once

#include <string>

#include "driver/conf/conf_tree.h"
#include "driver/conf/diagnostic.h"

namespace singa {

// Findings that are kept, at most.
inline constexpr size_t kMaxFindings = 1000;

// Fills `root`, whose type says what the file holds, and adds errors; goes on behind each of them
// but a syntax error. Does not look for missing fields. `errors` null: they are not wanted.
void ScanConf(const std::string& text, ConfNode* root, Diagnostics* errors);

}  // namespace singa
