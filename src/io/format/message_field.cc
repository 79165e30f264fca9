#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "io/format/record_parsers.h"

namespace singa {

std::optional<int32_t> FieldOf(std::string_view message, int number) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(message.data()),
                                            static_cast<int>(message.size()));
  const uint32_t wanted = WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_VARINT);
  std::optional<int32_t> found;
  while (const uint32_t tag = in.ReadTag()) {
    uint64_t value = 0;
    if (tag != wanted) {
      if (!WireFormatLite::SkipField(&in, tag)) return {};
    } else if (in.ReadVarint64(&value)) {
      found = static_cast<int32_t>(value);
    } else {
      return {};
    }
  }
  return in.ConsumedEntireMessage() ? found : std::nullopt;
}

}  // namespace singa
