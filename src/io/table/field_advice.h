// FieldAdvice explains fields of CSV that are not what their column holds.
#pragma once

#include <string>
#include <string_view>

#include "io/table/csv_fields.h"

namespace singa {

// Returns the end of an error about a field of `fields` that seems to be cut wrongly, or has a
// decimal comma; "": it does not.
std::string FieldAdvice(std::string_view field, const CsvFields& fields);

}  // namespace singa
