// KvFileReader, KvFileWriter: files of values with keys, as SINGA 0.3's kvfile, for programs that
// make data and input layers that read records of their own. A value is 1 to 2^28 bytes, most often
// a serialised message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "singa/base/api.h"

namespace singa {

// Used by one thread at a time.
class SINGA_API KvFileReader {
 public:
  // Finds where each value lies. `path`: a file, or the folder of a shard.dat. An incomplete value
  // at the end is left out, with a warning. Throws FileError; DataError where the file is damaged
  // or has no complete value.
  explicit KvFileReader(const std::string& path);
  ~KvFileReader();

  const std::string& name() const;  // of the file
  int64_t size() const;             // at least 1
  // REQUIRES: 0 <= index < size(). Valid until the next call. Throws FileError.
  std::string_view Value(int64_t index);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

// The file appears whole under its name, or not at all.
class SINGA_API KvFileWriter {
 public:
  // Throws FileError, as all functions.
  explicit KvFileWriter(const std::string& path);
  ~KvFileWriter();

  // The key is the value's number, from 00000000 on. Throws DataError for a value of another size.
  void Write(std::string_view value);
  // Replaces what was at the path. REQUIRES: a value was written.
  void Commit();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace singa
