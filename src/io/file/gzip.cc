#include "io/file/gzip.h"

#include <algorithm>
#include <new>

#include "singa/base/error.h"

namespace singa {

bool IsGzip(const InputFile& file) {
  uint8_t magic[2];
  if (file.size() < 2) return false;
  file.ReadAt(0, magic, 2);
  return magic[0] == 0x1f && magic[1] == 0x8b;
}

GzipReader::GzipReader(const InputFile& file) : file_(file) {
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { inflateEnd(&stream_); }

void GzipReader::Refill() {
  const int64_t n = std::min<int64_t>(input_.size(), file_.size() - offset_);
  file_.ReadAt(offset_, input_.data(), n);
  offset_ += n;
  stream_.next_in = input_.data();
  stream_.avail_in = static_cast<uInt>(n);
}

void GzipReader::Step() {
  if (stream_.avail_in == 0) {
    if (offset_ == file_.size()) throw DataError(file_.name(), -1, "the gzip data is cut off");
    Refill();
  }
  const int result = inflate(&stream_, Z_NO_FLUSH);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result == Z_STREAM_END) {
    if (stream_.avail_in == 0 && offset_ < file_.size()) Refill();
    ended_ = stream_.avail_in == 0;
    if (!ended_) inflateReset(&stream_);  // a gzip file may have several members
  } else if (result != Z_OK && result != Z_BUF_ERROR) {
    throw DataError(file_.name(), -1,
                    StrCat("damaged gzip data: ", stream_.msg ? stream_.msg : "unknown"));
  }
}

int64_t GzipReader::Read(uint8_t* out, int64_t n) {
  int64_t done = 0;
  while (done < n && !ended_) {
    const uInt want = static_cast<uInt>(std::min<int64_t>(n - done, 1 << 30));
    stream_.next_out = out + done;
    stream_.avail_out = want;
    while (stream_.avail_out > 0 && !ended_) Step();
    done += want - stream_.avail_out;
  }
  return done;
}

}  // namespace singa
