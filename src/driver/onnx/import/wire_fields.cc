#include "driver/onnx/import/wire_fields.h"

#include <cstring>

#include "singa/base/error.h"

namespace singa {

bool WireFields::TakeVarint(std::string_view* text, uint64_t* value) {
  constexpr size_t kMostBytes = 10;
  *value = 0;
  for (size_t i = 0; i < text->size() && i < kMostBytes; ++i) {
    const auto byte = static_cast<uint8_t>((*text)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      text->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

void WireFields::Fail(const std::string& message) const {
  throw DataError(file_, -1, StrCat("is no ONNX model, or damaged: ", what_, " ", message));
}

void WireFields::Take(uint64_t size) {
  if (size > rest_.size())
    Fail(StrCat("ends early: field ", field_, " has ", size, " bytes, and ", rest_.size(),
                " are left"));
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
}

bool WireFields::Next() {
  if (rest_.empty()) return false;
  uint64_t tag = 0, size = 0;
  if (!TakeVarint(&rest_, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    Fail("has a field without a valid number");
  field_ = static_cast<int>(tag >> 3);
  wire_ = tag & 7;
  const std::string_view before = rest_;
  switch (wire_) {
    case kVarint:
      if (!TakeVarint(&rest_, &varint_)) Fail(StrCat("ends early, in field ", field_));
      bytes_ = before.substr(0, before.size() - rest_.size());
      return true;
    case kFixed64:
      Take(8);
      return true;
    case kFixed32:
      Take(4);
      return true;
    case kBytes:
      if (!TakeVarint(&rest_, &size)) Fail(StrCat("ends early, in field ", field_));
      Take(size);
      return true;
    default:
      Fail(StrCat("has field ", field_, " of an unknown wire type"));
  }
}

void WireFields::Require(Wire wire) const {
  if (wire_ != wire) Fail(StrCat("has field ", field_, " of another type than ONNX says"));
}

int64_t WireFields::Int() const {
  Require(kVarint);
  return static_cast<int64_t>(varint_);
}

float WireFields::Float() const {
  Require(kFixed32);
  float value = 0;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
}

std::string_view WireFields::Bytes() const {
  Require(kBytes);
  return bytes_;
}

}  // namespace singa
