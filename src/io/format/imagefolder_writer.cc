// Format "imagefolder" writes an uncompressed tar of <class>/<index>.png.
#include <archive.h>
#include <archive_entry.h>
#include <glog/logging.h>

#include <cstdio>
#include <set>

#include "io/file/new_file.h"
#include "io/format/byte_record.h"
#include "io/picture/image_decoder.h"
#include "io/picture/png_encoder.h"
#include "io/store/store_writer.h"
#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

struct PictureShape {
  int channels = 1;
  int32_t height = 0, width = 0;
};

PictureShape ShapeToWrite(const WriterOptions& options) {
  const std::vector<int32_t>& s = options.shape;
  if (!options.has_label)
    throw ConfigError("", "imagefolder needs labels: they are the names of its folders");
  if (s.size() != 2 && !(s.size() == 3 && (s[0] == 1 || s[0] == 3)))
    throw ConfigError("", "imagefolder holds pictures: -shape must be H,W or 1,H,W or 3,H,W");
  const PictureShape shape{s.size() == 3 ? s[0] : 1, s[s.size() - 2], s[s.size() - 1]};
  if (int64_t{shape.height} * shape.width > ImageDecoder::kMaxPixels)
    throw ConfigError(
        "", StrCat("imagefolder holds pictures of at most ", ImageDecoder::kMaxPixels, " pixels"));
  return shape;
}

// A tar to which files are appended.
class TarFile {
 public:
  TarFile(FileSystem* files, const std::string& path)
      : file_(files, path), tar_(archive_write_new()) {
    archive_write_set_format_gnutar(tar_.get());  // names are bytes in this format, in any locale
    Check(archive_write_open(tar_.get(), this, nullptr, Append, nullptr));
  }
  TarFile(const TarFile&) = delete;
  TarFile& operator=(const TarFile&) = delete;

  void Add(const std::string& name, const std::string& bytes) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<int64_t>(bytes.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    const int status = archive_write_header(tar_.get(), entry);
    archive_entry_free(entry);
    Check(status);
    Check(archive_write_data(tar_.get(), bytes.data(), bytes.size()));
    Flush();
  }

  void Commit() {
    Check(archive_write_close(tar_.get()));
    Flush();
    file_.Commit();
  }

 private:
  // Collects blocks in blocks_ until libarchive returns, as NewFile's exceptions must not pass
  // through libarchive.
  static la_ssize_t Append(archive*, void* self, const void* bytes, size_t size) noexcept {
    static_cast<TarFile*>(self)->blocks_.append(static_cast<const char*>(bytes), size);
    return static_cast<la_ssize_t>(size);
  }
  void Check(int64_t status) {
    if (status < ARCHIVE_WARN)
      throw ValueError(StrCat("cannot be put into a tar: ", archive_error_string(tar_.get())));
  }
  void Flush() {
    file_.Write(blocks_);
    blocks_.clear();
  }

  struct Free {
    void operator()(archive* tar) const { archive_write_free(tar); }
  };

  NewFile file_;
  std::string blocks_;
  std::unique_ptr<archive, Free> tar_;  // must be last: its destructor appends to blocks_
};

class ImageFolderWriter final : public StoreWriter {
 public:
  ImageFolderWriter(const WriterOptions& options, FileSystem* files)
      : shape_(ShapeToWrite(options)), classes_(options.classes), tar_(files, options.path) {}

  void Write(const Sample& sample) override {
    tar_.Add(StrCat(Folder(sample.label), "/", RecordKey(next_++), ".png"),
             EncodePng(bytes_.Numbers(sample), shape_.channels, shape_.height, shape_.width));
    labels_.insert(sample.label);
  }

  void Finish() override {
    tar_.Commit();
    if (*labels_.rbegin() + 1 != static_cast<int64_t>(labels_.size()))
      LOG(WARNING) << "some label below " << *labels_.rbegin()
                   << " has no record: readers of the folders number their classes without gaps";
  }

 private:
  std::string Folder(int32_t label) const {
    constexpr int kDigits = 5, kMost = 99999;  // so that folders sort as labels
    if (static_cast<size_t>(label) < classes_.size()) return classes_[label];
    if (label < 0 || label > kMost)
      throw ValueError(
          StrCat("imagefolder has labels from 0 to ", kMost, "; the label ", label, " is none"));
    char name[16];
    std::snprintf(name, sizeof name, "%0*d", kDigits, label);
    return name;
  }

  const PictureShape shape_;
  const std::vector<std::string> classes_;
  TarFile tar_;
  std::set<int32_t> labels_;
  int64_t next_ = 0;
  ByteRecord bytes_{"imagefolder"};
};

std::unique_ptr<StoreWriter> NewImageFolderWriter(const WriterOptions& options, FileSystem* files) {
  return std::make_unique<ImageFolderWriter>(options, files);
}

SINGA_REGISTER_STORE_WRITER(imagefolder, NewImageFolderWriter, .suffix = ".tar");

}  // namespace
}  // namespace singa
