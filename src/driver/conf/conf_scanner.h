// ScanConf reads the structure of a text-format file in one pass: the place of each field, and all
// errors against the schema. Protobuf parses the values afterwards.
#pragma once

#include <string>

#include "driver/conf/conf_tree.h"
#include "driver/conf/diagnostic.h"

namespace singa {

// Maximum number of findings that are kept.
inline constexpr size_t kMaxFindings = 1000;

// Fills `root`, whose type is the file's message, and adds errors to `errors`, which may be null.
// Stops only at a syntax error. Does not look for missing fields.
void ScanConf(const std::string& text, ConfNode* root, Diagnostics* errors);

}  // namespace singa
