#include "io/metrics/event_head.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <string>

#include "io/metrics/row_events.h"

namespace singa {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t BytesTag(int field) {
  return WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}
constexpr uint32_t kStepField = WireFormatLite::MakeTag(2, WireFormatLite::WIRETYPE_VARINT);
constexpr uint32_t kSummaryField = BytesTag(5);  // of Event
constexpr uint32_t kValueField = BytesTag(1);    // of Summary
constexpr uint32_t kTagField = BytesTag(1);      // of Value

// Calls `read` with the tag of each field up to the stream's limit. Returns false if `read` does.
template <typename Read>
bool ReadFields(CodedInputStream* in, const Read& read) {
  while (const uint32_t tag = in->ReadTag())
    if (!read(tag)) return false;
  return in->ConsumedEntireMessage();
}

// Does so for the fields of a message that is a field itself.
template <typename Read>
bool ReadInner(CodedInputStream* in, const Read& read) {
  uint32_t bytes = 0;
  if (!in->ReadVarint32(&bytes) || static_cast<int64_t>(bytes) > in->BytesUntilLimit())
    return false;
  const auto limit = in->PushLimit(static_cast<int>(bytes));
  if (!ReadFields(in, read)) return false;
  in->PopLimit(limit);
  return true;
}

bool ReadName(CodedInputStream* in, std::string* tag) {
  uint32_t bytes = 0;
  if (!in->ReadVarint32(&bytes) || static_cast<int64_t>(bytes) > in->BytesUntilLimit())
    return false;
  return in->ReadString(tag, static_cast<int>(bytes));
}

}  // namespace

std::optional<EventHead> HeadOf(std::string_view record) {
  const auto size = static_cast<int>(record.size());
  CodedInputStream in(reinterpret_cast<const uint8_t*>(record.data()), size);
  in.PushLimit(size);
  EventHead head;
  std::string first;
  const auto skip = [&](uint32_t tag) { return WireFormatLite::SkipField(&in, tag); };
  const auto of_value = [&](uint32_t tag) {
    return tag == kTagField && first.empty() ? ReadName(&in, &first) : skip(tag);
  };
  const auto of_summary = [&](uint32_t tag) {
    return tag == kValueField ? ReadInner(&in, of_value) : skip(tag);
  };
  const bool whole = ReadFields(&in, [&](uint32_t tag) {
    if (tag == kSummaryField) {
      head.has_rows = true;
      return ReadInner(&in, of_summary);
    }
    uint64_t step = 0;
    if (tag != kStepField) return skip(tag);
    if (!in.ReadVarint64(&step)) return false;
    head.step = static_cast<int64_t>(step);
    return true;
  });
  if (!whole) return {};
  head.group = GroupOfTag(first);
  return head;
}

}  // namespace singa
