// Makes the parsers of records: of RecordProtos, in binary and text form, and of Caffe's Datums.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/store/value_parser.h"

namespace singa {

// Returns the int32 of field `number` in a serialised message; nullopt: it has no such field, or is
// damaged.
std::optional<int32_t> FieldOf(std::string_view message, int number);

// Parses serialised RecordProtos. With options.encoded their pixels are image files, which it
// decodes.
std::unique_ptr<ValueParser> NewRecordParser(const StoreOptions& options);
// Parses serialised Records, each with an image, in the same way.
std::unique_ptr<ValueParser> NewWrappedRecordParser(const StoreOptions& options);
// Parses lines that are RecordProtos in text form, or in v0.3's binary form, or CSV.
// options.encoded is as for NewRecordParser, the rest as for NewCsvParser.
std::unique_ptr<ValueParser> NewTextRecordParser(const StoreOptions& options,
                                                 const std::vector<std::string>& names = {});
// Parses serialised CaffeDatums. Image files in them are decoded to `channels`: 3, or 1 for grey.
std::unique_ptr<ValueParser> NewDatumParser(int channels);

}  // namespace singa
