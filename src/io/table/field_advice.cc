#include "io/table/field_advice.h"

namespace singa {

std::string FieldAdvice(std::string_view field, const CsvFields& fields) {
  if (field.starts_with('"'))
    return "; a quote before a field must close behind it, in the same line";
  const bool separated = fields.Separates(';') || fields.Separates('\t');
  if (HasDecimalComma(field) && (separated || fields.Separates(',')))
    return "; decimal commas are not read: write decimal points";
  return SeparatorAdvice(field, fields);
}

}  // namespace singa
