// KindOfLine tells a line of CSV from a record.
#pragma once

#include <cstdint>
#include <string_view>

namespace singa {

// A line of a textfile is CSV, a RecordProto in text form, or one in the binary form of SINGA 0.3.
enum class LineKind : uint8_t { kCsv, kText, kBinary };

// Returns the kind of a line, which its first characters show. REQUIRES: it is not empty.
LineKind KindOfLine(std::string_view line);

}  // namespace singa
