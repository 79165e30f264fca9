// KvFileReader and KvFileWriter read and write files of keys and values in the format of SINGA
// 0.3's kvfile. Programs that make data use them, and input layers that read their own records. A
// value has 1 to 2^28 bytes and is most often a serialised message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "singa/base/api.h"

namespace singa {

// Reads a file. One thread at a time may use it.
class SINGA_API KvFileReader {
 public:
  // Opens the file and finds the offset of each value. `path` is a file, or the folder of a
  // shard.dat. An incomplete value at the end is left out, with a warning. Throws FileError, or
  // DataError if the file is damaged or has no complete value.
  explicit KvFileReader(const std::string& path);
  ~KvFileReader();

  const std::string& name() const;  // path of the file
  int64_t size() const;             // at least 1
  // Returns a value, which stays valid until the next call. Throws FileError. REQUIRES: 0 <= index
  // < size().
  std::string_view Value(int64_t index);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

// Writes a file, which appears under its name only when Commit has completed it. One thread at a
// time may use it.
class SINGA_API KvFileWriter {
 public:
  // Creates the file. All functions throw FileError.
  explicit KvFileWriter(const std::string& path);
  ~KvFileWriter();

  // Appends a value. Its key is its number, from 00000000 on. Throws DataError if the size is not
  // allowed.
  void Write(std::string_view value);
  // Completes the file and replaces a file that was at the path. REQUIRES: a value was written.
  void Commit();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace singa
