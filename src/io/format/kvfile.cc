#include "singa/io/kvfile.h"

#include <memory>
#include <vector>

#include "io/file/new_file.h"
#include "io/format/kv_tuple.h"
#include "io/format/kvfile_store.h"
#include "io/store/store_writer.h"
#include "singa/base/error.h"

namespace singa {

struct KvFileReader::Content {
  explicit Content(const std::string& path)
      : file(OpenKvFile(path)), places(ValuesOfKvFile(file, true)) {}

  const InputFile file;
  const std::vector<ValuePlace> places;
  std::vector<char> value;
};

KvFileReader::KvFileReader(const std::string& path) : content_(std::make_unique<Content>(path)) {}

KvFileReader::~KvFileReader() = default;

const std::string& KvFileReader::name() const { return content_->file.name(); }

int64_t KvFileReader::size() const { return static_cast<int64_t>(content_->places.size()); }

std::string_view KvFileReader::Value(int64_t index) {
  const ValuePlace& place = content_->places[index];
  std::vector<char>& value = content_->value;
  value.resize(place.size);
  content_->file.ReadAt(place.offset, value.data(), place.size);
  return {value.data(), value.size()};
}

struct KvFileWriter::Content {
  explicit Content(const std::string& where) : path(where), file(&file_system, path) {}

  const std::string path;
  PosixFileSystem file_system;
  NewFile file;
  int64_t next = 0;
};

KvFileWriter::KvFileWriter(const std::string& path) : content_(std::make_unique<Content>(path)) {}

KvFileWriter::~KvFileWriter() = default;

void KvFileWriter::Write(std::string_view value) {
  if (value.empty() || value.size() > kMaxValueBytes)
    throw DataError(
        content_->path, content_->next,
        StrCat("a value must have from 1 to ", kMaxValueBytes, " bytes, has ", value.size()));
  content_->file.Write(KvTuple(RecordKey(content_->next++), value));
}

void KvFileWriter::Commit() { content_->file.Commit(); }

}  // namespace singa
