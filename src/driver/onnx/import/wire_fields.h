// WireFields reads the fields of a protobuf message one after the other. It copies nothing, so a
// hostile file takes no memory. The generated classes would need many times its size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace singa {

class WireFields {
 public:
  // Reads `message`, which must outlive this. `file` and `what` name file and message in errors.
  WireFields(std::string_view message, const std::string& file, const char* what)
      : rest_(message), file_(file), what_(what) {}

  // Goes to the next field, and returns false after the last. Throws DataError if the message is
  // damaged.
  bool Next();

  int field() const { return field_; }
  bool is_bytes() const { return wire_ == kBytes; }
  // Return the field's value. Throw DataError if it has another wire type.
  int64_t Int() const;
  float Float() const;
  std::string_view Bytes() const;
  // Returns the bytes of one or several numbers: of a packed list, of a float or double, or of a
  // varint.
  std::string_view Numbers() const { return bytes_; }

  // Reads a varint at the start of `*text`, and removes it. Returns false if it is damaged.
  static bool TakeVarint(std::string_view* text, uint64_t* value);

  [[noreturn]] void Fail(const std::string& message) const;

 private:
  enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  void Take(uint64_t size);
  void Require(Wire wire) const;

  std::string_view rest_;
  const std::string& file_;
  const char* what_;
  int field_ = 0;
  uint8_t wire_ = kVarint;
  uint64_t varint_ = 0;
  std::string_view bytes_;  // content of the field
};

}  // namespace singa
