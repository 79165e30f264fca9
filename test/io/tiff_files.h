// TiffOf makes TIFF files of one picture.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace singa {

struct TiffFile {
  uint32_t width = 1, height = 1;
  uint16_t bits = 8, samples = 1;
  uint16_t photometric = 1;              // 0 white is 0, 1 black is 0, 2 RGB, 3 palette
  uint16_t compression = 1;              // 1 none, 8 deflate, 32773 PackBits
  uint32_t rows_per_strip = 1;           // unless there are tiles
  uint32_t tile = 0;                     // side of the tiles; 0: strips
  std::vector<std::string> blocks = {};  // bytes of the strips or tiles
  std::map<uint16_t, std::vector<uint32_t>> more = {};  // tags with numbers of 16 bits
  bool big_endian = false;
};

// Appends numbers in the file's byte order.
class TiffText {
 public:
  explicit TiffText(bool big_endian) : big_endian_(big_endian) {}

  void Put(uint32_t number, int bytes) {
    for (int i = 0; i < bytes; ++i)
      text_ += static_cast<char>(number >> 8 * (big_endian_ ? bytes - 1 - i : i));
  }
  void Put(const std::string& bytes) { text_ += bytes; }
  size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }

 private:
  const bool big_endian_;
  std::string text_;
};

// The blocks come first, then the numbers of each tag, then the directory.
inline std::string TiffOf(const TiffFile& file) {
  struct Entry {
    int bytes;  // of a number
    std::vector<uint32_t> values;
    uint32_t at = 0;  // place of the values
  };
  std::vector<uint32_t> places, lengths;
  TiffText body(file.big_endian);
  for (const std::string& block : file.blocks) {
    places.push_back(static_cast<uint32_t>(8 + body.size()));
    lengths.push_back(static_cast<uint32_t>(block.size()));
    body.Put(block + std::string(block.size() % 2, '\0'));
  }
  std::map<uint16_t, Entry> entries = {
      {256, {4, {file.width}}},       {257, {4, {file.height}}},
      {259, {2, {file.compression}}}, {262, {2, {file.photometric}}},
      {277, {2, {file.samples}}},     {258, {2, std::vector<uint32_t>(file.samples, file.bits)}}};
  if (file.tile > 0) {
    entries[322] = entries[323] = {4, {file.tile}};
    entries[324] = {4, places};
    entries[325] = {4, lengths};
  } else {
    entries[273] = {4, places};
    entries[278] = {4, {file.rows_per_strip}};
    entries[279] = {4, lengths};
  }
  for (const auto& [tag, values] : file.more) entries[tag] = {2, values};
  for (auto& [tag, entry] : entries) {
    entry.at = static_cast<uint32_t>(8 + body.size());
    for (uint32_t value : entry.values) body.Put(value, entry.bytes);
    body.Put(std::string(body.size() % 2, '\0'));
  }
  TiffText head(file.big_endian), directory(file.big_endian);
  head.Put(file.big_endian ? "MM" : "II");
  head.Put(42, 2);
  head.Put(static_cast<uint32_t>(8 + body.size()), 4);
  directory.Put(static_cast<uint32_t>(entries.size()), 2);
  for (const auto& [tag, entry] : entries) {
    directory.Put(tag, 2);
    directory.Put(entry.bytes == 2 ? 3 : 4, 2);
    directory.Put(static_cast<uint32_t>(entry.values.size()), 4);
    if (entry.values.size() * static_cast<size_t>(entry.bytes) > 4) {
      directory.Put(entry.at, 4);
    } else {  // the values themselves, left-aligned
      for (uint32_t value : entry.values) directory.Put(value, entry.bytes);
      directory.Put(std::string(4 - entry.values.size() * entry.bytes, '\0'));
    }
  }
  directory.Put(0, 4);
  return head.text() + body.text() + directory.text();
}

}  // namespace singa
