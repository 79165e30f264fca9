#include "io/format/idx_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/counted.h"
#include "io/file/gzip.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// An IDX file whose size agrees with its header. A gzipped file is held in memory.
struct IdxFile {
  InputFile file;
  IdxHeader header;
};

void CheckSize(const std::string& name, const IdxHeader& header, int64_t size) {
  if (size != header.total())
    throw DataError(name, -1, StrCat("has ", size, " bytes, its header says ", header.total()));
}

// Reads until there are `total` bytes or the content ends. Memory grows with the bytes read, as a
// header may promise too many.
void InflateRest(GzipReader* gzip, int64_t total, std::vector<uint8_t>* bytes) {
  int64_t have = static_cast<int64_t>(bytes->size());
  int64_t goal = int64_t{1} << 26;
  while (have < total) {
    goal = std::min(total, std::max(goal, 2 * have));
    bytes->resize(goal);
    const int64_t more = gzip->Read(bytes->data() + have, goal - have);
    have += more;
    if (have == goal) continue;
    bytes->resize(have);
    return;
  }
}

IdxFile Inflate(const InputFile& file) {
  GzipReader gzip(file);
  std::vector<uint8_t> bytes(kMaxIdxHeader);
  bytes.resize(gzip.Read(bytes.data(), kMaxIdxHeader));
  const IdxHeader header = ParseIdxHeader(bytes, file.name());
  const int64_t have = static_cast<int64_t>(bytes.size());
  if (header.total() > GzipReader::MaxContent(file))
    throw DataError(file.name(), -1,
                    StrCat("its header says ", header.total(), " bytes; so many cannot be in ",
                           file.size(), " bytes of gzip"));
  constexpr int64_t kMost = int64_t{1} << 32;
  if (header.total() > kMost)
    throw DataError(file.name(), -1,
                    StrCat("its header says ", header.total(), " bytes; of a .gz at most ", kMost,
                           " are held in memory: unpack the file"));
  InflateRest(&gzip, header.total(), &bytes);
  CheckSize(file.name(), header, std::min<int64_t>(bytes.size(), header.total()));
  uint8_t extra;
  if (have > header.total() || gzip.Read(&extra, 1) != 0)
    throw DataError(file.name(), -1,
                    StrCat("has more bytes than the ", header.total(), " that its header says"));
  return {InputFile::FromMemory(file.name(), std::move(bytes)), header};
}

IdxFile OpenIdx(InputFile file) {
  if (IsGzip(file)) return Inflate(file);
  std::array<uint8_t, kMaxIdxHeader> bytes;
  const int64_t n = std::min(kMaxIdxHeader, file.size());
  file.ReadAt(0, bytes.data(), n);
  const IdxHeader header = ParseIdxHeader({bytes.data(), static_cast<size_t>(n)}, file.name());
  CheckSize(file.name(), header, file.size());
  return {std::move(file), header};
}

class IdxStore final : public Store {
 public:
  IdxStore(IdxFile images, std::vector<uint8_t> labels)
      : images_(std::move(images)),
        labels_(std::move(labels)),
        pixel_(images_.header.record_bytes) {
    sample_.pixel = pixel_;
    sample_.shape = std::span<const int32_t>(images_.header.dims).subspan(1);
  }

  int64_t size() const override { return images_.header.dims[0]; }
  const std::string& name() const override { return images_.file.name(); }

  LabelRange Labels() override {
    LabelRange range;
    for (size_t i = 0; i < labels_.size(); ++i) range.Add(labels_[i], static_cast<int64_t>(i));
    return range;
  }

  const Sample& Read(int64_t index) override {
    const int64_t n = images_.header.record_bytes;
    images_.file.ReadAt(images_.header.bytes + index * n, pixel_.data(), n);
    if (!labels_.empty()) sample_.label = labels_[index];
    return sample_;
  }

 private:
  IdxFile images_;
  std::vector<uint8_t> labels_;
  std::vector<uint8_t> pixel_;
  Sample sample_;
};

std::unique_ptr<Store> OpenIdxStore(const StoreOptions& options) {
  InputFile images = InputFile::Open(options.path);
  std::unique_ptr<InputFile> labels;
  if (options.has_label) labels = std::make_unique<InputFile>(InputFile::Open(options.label_path));
  return NewIdxStore(std::move(images), std::move(labels));
}

// Opening a .gz inflates all of it.
std::optional<bool> IsQuickIdx(const std::string& path) {
  if (path.ends_with(".gz")) return std::nullopt;
  return true;
}

SINGA_REGISTER_STORE(idx, OpenIdxStore, .label_file = true, .encoded = Encoded::kRefused,
                     .known_as = "mnist fashionmnist ubyte", .is_quick = IsQuickIdx);

}  // namespace

IdxHeader ParseIdxHeader(std::span<const uint8_t> bytes, const std::string& name) {
  constexpr int kUnsignedByte = 8;
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    throw DataError(name, -1, "is no IDX file: it must begin with two zero bytes");
  if (bytes[2] != kUnsignedByte)
    throw DataError(
        name, -1,
        StrCat("its elements have the IDX type ", int{bytes[2]}, ", must be 8 (unsigned bytes)"));
  const int rank = bytes[3];
  if (rank < 1 || rank > 4)
    throw DataError(name, -1, StrCat("its IDX rank must be from 1 to 4, is ", rank));
  IdxHeader header;
  header.bytes = 4 + 4 * rank;
  if (static_cast<int64_t>(bytes.size()) < header.bytes)
    throw DataError(name, -1, "ends within its IDX header");
  header.record_bytes = 1;
  for (int i = 0; i < rank; ++i) {
    const uint8_t* d = &bytes[4 + 4 * i];
    const uint32_t size = uint32_t{d[0]} << 24 | d[1] << 16 | d[2] << 8 | d[3];
    if (size == 0 || size > INT32_MAX)
      throw DataError(name, -1, StrCat("its IDX dimension ", i, " has the size ", size));
    header.dims.push_back(static_cast<int32_t>(size));
    if (i > 0) header.record_bytes *= size;
    if (header.record_bytes > INT32_MAX)
      throw DataError(name, -1, "its IDX header says records of more than 2 GiB");
  }
  return header;
}

std::unique_ptr<Store> NewIdxStore(InputFile images, std::unique_ptr<InputFile> labels) {
  IdxFile image_file = OpenIdx(std::move(images));
  if (image_file.header.dims.size() < 2)
    throw DataError(image_file.file.name(), -1, "has the IDX rank 1: labels, not images");
  if (!labels) return std::make_unique<IdxStore>(std::move(image_file), std::vector<uint8_t>());
  const IdxFile label_file = OpenIdx(std::move(*labels));
  const std::string& name = label_file.file.name();
  if (label_file.header.dims.size() != 1)
    throw DataError(name, -1,
                    StrCat("labels must have the IDX rank 1, not ", label_file.header.dims.size()));
  const int64_t count = label_file.header.dims[0];
  if (count != image_file.header.dims[0])
    throw DataError(name, -1,
                    StrCat("has ", Counted(count, "label"), ", ", image_file.file.name(), " has ",
                           Counted(image_file.header.dims[0], "image")));
  std::vector<uint8_t> bytes(count);
  label_file.file.ReadAt(label_file.header.bytes, bytes.data(), count);
  return std::make_unique<IdxStore>(std::move(image_file), std::move(bytes));
}

}  // namespace singa
