// NewCsvParser makes the parser of lines of CSV.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/store/value_parser.h"

namespace singa {

// Parses the fields of a line of CSV, between characters of options.separator. If options.targets
// is above 0, so many columns from options.label_column on are targets; else, with
// options.has_label, that column is a label, a word if options.class_names has any;
// options.label_fields says how both are read. Other columns are numbers. `names`: those of the
// columns by the header; empty: there is no header. Throws ValueError if there is no such
// label_column.
std::unique_ptr<ValueParser> NewCsvParser(const StoreOptions& options,
                                          const std::vector<std::string>& names = {});
std::unique_ptr<ValueParser> NewCsvParser(const std::string& separator, bool has_label,
                                          int64_t targets = 0);

}  // namespace singa
