// ValueParser: from the bytes of one value of a kvfile or a line of a textfile to a Sample.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "io/store/store.h"

namespace singa {

// What is wrong with a value; the store knows where it stands and makes a DataError of it.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ValueParser {
 public:
  virtual ~ValueParser() = default;
  // The sample is valid until the next call. Throws ValueError.
  virtual const Sample& Parse(std::string_view value) = 0;
  // The label alone, quickly; none: there is none, or only Parse can tell.
  virtual std::optional<int32_t> LabelOf(std::string_view) const { return {}; }
};

// The int32 of field `number` in a serialised message; none: it has no such field, or is damaged.
std::optional<int32_t> FieldOf(std::string_view message, int number);

// Serialised RecordProtos. With options.encoded their pixels are image files, which are decoded.
std::unique_ptr<ValueParser> NewRecordParser(const StoreOptions& options);
// Serialised Records, each with an image, likewise.
std::unique_ptr<ValueParser> NewWrappedRecordParser(const StoreOptions& options);
// Numbers between any of the characters of `separator`, spaces or tabs; with has_label a label
// before them.
std::unique_ptr<ValueParser> NewCsvParser(const std::string& separator, bool has_label);
// Lines that are RecordProtos in text form, or in binary form as v0.3 wrote them, or as CSV. With
// options.encoded as NewRecordParser.
std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options);
// Serialised CaffeDatums. channels: 3, or 1 for grey, of those that hold an image file.
std::unique_ptr<ValueParser> NewDatumParser(int channels);

}  // namespace singa
