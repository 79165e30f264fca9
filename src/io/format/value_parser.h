// ValueParser turns the bytes of one value of a kvfile, or a line of a textfile, into a Sample.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/store.h"

namespace singa {

// A value is bad. The store knows its place and turns the error into a DataError.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ValueParser {
 public:
  virtual ~ValueParser() = default;
  // Parses a value. The sample is valid until the next call. Throws ValueError.
  virtual const Sample& Parse(std::string_view value) = 0;
  // Returns only the label, quickly; nullopt: there is none, or only Parse can find it.
  virtual std::optional<int32_t> LabelOf(std::string_view) const { return {}; }
  // Returns the field of the label of a line of CSV, whatever it holds, or with `last` the last
  // field. nullopt: there is none, labels are words already, or fields seem to have another
  // separator.
  virtual std::optional<std::string> LabelFieldOf(std::string_view, bool /*last*/) const {
    return {};
  }
  // Returns whether the last field of a line of CSV seems to be a word as label, since the first
  // one can be no label.
  virtual bool LastSeemsLabel(std::string_view) const { return false; }
};

// Returns the int32 of field `number` in a serialised message; nullopt: it has no such field, or is
// damaged.
std::optional<int32_t> FieldOf(std::string_view message, int number);

// Parses serialised RecordProtos. With options.encoded their pixels are image files, which it
// decodes.
std::unique_ptr<ValueParser> NewRecordParser(const StoreOptions& options);
// Parses serialised Records, each with an image, in the same way.
std::unique_ptr<ValueParser> NewWrappedRecordParser(const StoreOptions& options);
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
// Returns whether a line that is not empty is CSV, rather than a RecordProto in text or binary
// form.
bool IsCsv(std::string_view line);
// Parses lines that are RecordProtos in text form, or in v0.3's binary form, or CSV.
// options.encoded is as for NewRecordParser, the rest as for NewCsvParser.
std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options,
                                                 const std::vector<std::string>& names = {});
// Parses serialised CaffeDatums. Image files in them are decoded to `channels`: 3, or 1 for grey.
std::unique_ptr<ValueParser> NewDatumParser(int channels);

}  // namespace singa
