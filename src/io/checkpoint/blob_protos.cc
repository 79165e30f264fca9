#include "io/checkpoint/blob_protos.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>
#include <utility>

#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t Tag(int field, WireFormatLite::WireType type) {
  return static_cast<uint32_t>(field) << 3 | type;
}

constexpr uint32_t kId = Tag(2, WireFormatLite::WIRETYPE_VARINT);
constexpr uint32_t kIds = Tag(2, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kVersion = Tag(3, WireFormatLite::WIRETYPE_VARINT);
constexpr uint32_t kVersions = Tag(3, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kName = Tag(4, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kBlob = Tag(5, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kSize = Tag(1, WireFormatLite::WIRETYPE_VARINT);
constexpr uint32_t kSizes = Tag(1, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kValue = Tag(2, WireFormatLite::WIRETYPE_FIXED32);
constexpr uint32_t kValues = Tag(2, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

// Limits for hostile files: an entry of two bytes in the file can take a hundred bytes of memory.
constexpr size_t kMaxBlobs = 1 << 20;
constexpr int kMaxNameBytes = 64 << 10;

// Reads field by field. The generated class would need several times the size of a hostile file.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file, BlobValues values)
      : file_(file),
        keeps_values_(values == BlobValues::kRead),
        in_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {
    in_.PushLimit(static_cast<int>(bytes.size()));
  }

  std::vector<Blob> Read() {
    while (const uint32_t tag = in_.ReadTag()) ReadField(tag);
    if (!in_.ConsumedEntireMessage()) Malformed();
    if (names_.size() != blobs_.size())
      Fail(StrCat("has ", names_.size(), " names, but ", blobs_.size(), " blobs"));
    for (size_t i = 0; i < blobs_.size(); ++i) {
      blobs_[i].name = std::move(names_[i]);
      blobs_[i].by_v03 = !has_ids_;
      if (i < versions_.size()) blobs_[i].version = versions_[i];
      CheckSize(blobs_[i], counts_[i]);
    }
    return std::move(blobs_);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const { throw DataError(file_, -1, why); }
  [[noreturn]] void Malformed() const {
    Fail(StrCat("is no checkpoint of SINGA 0.3 (a BlobProtos message): damaged near byte ",
                in_.CurrentPosition(),
                "; a checkpoint is a workspace, a folder step<N>, a .safetensors file or a file of "
                "SINGA 0.3"));
  }

  void ReadField(uint32_t tag) {
    has_ids_ = has_ids_ || tag == kId || tag == kIds;
    switch (tag) {
      case kVersion:
        return AddVersion();
      case kVersions:
        return ReadPacked([this] { AddVersion(); });
      case kName:
        return AddName();
      case kBlob:
        return AddBlob();
      default:
        if (!WireFormatLite::SkipField(&in_, tag)) Malformed();
    }
  }

  int32_t ReadInt32() {
    uint64_t value;
    if (!in_.ReadVarint64(&value)) Malformed();
    return static_cast<int32_t>(value);  // as protobuf does
  }

  // Reads a length, then calls `read_one` until that many bytes are used up.
  template <typename F>
  void ReadPacked(F read_one) {
    const auto limit = in_.PushLimit(ReadLength());
    while (in_.BytesUntilLimit() > 0) read_one();
    in_.PopLimit(limit);
  }

  int ReadLength() {
    int length;
    if (!in_.ReadVarintSizeAsInt(&length) || length > in_.BytesUntilLimit()) Malformed();
    return length;
  }

  void AddVersion() {
    versions_.push_back(ReadInt32());
    if (versions_.size() > kMaxBlobs) TooMany();
  }

  void AddName() {
    std::string name;
    const int length = ReadLength();
    if (length > kMaxNameBytes) Fail(StrCat("has a name of ", length, " bytes"));
    if (!in_.ReadString(&name, length)) Malformed();
    names_.push_back(std::move(name));
    if (names_.size() > kMaxBlobs) TooMany();
  }

  [[noreturn]] void TooMany() const { Fail(StrCat("has more than ", kMaxBlobs, " params")); }

  void AddBlob() {
    sizes_.clear();
    Blob blob;
    counts_.push_back(0);
    const auto limit = in_.PushLimit(ReadLength());
    while (const uint32_t tag = in_.ReadTag()) ReadBlobField(tag, &blob);
    if (!in_.ConsumedEntireMessage()) Malformed();
    in_.PopLimit(limit);
    blob.shape = Shape(sizes_);
    blobs_.push_back(std::move(blob));
    if (blobs_.size() > kMaxBlobs) TooMany();
  }

  void ReadBlobField(uint32_t tag, Blob* blob) {
    switch (tag) {
      case kSize:
        return AddSize();
      case kSizes:
        return ReadPacked([this] { AddSize(); });
      case kValue:
        return AddValues(sizeof(float), &blob->values);
      case kValues:
        return AddValues(ReadLength(), &blob->values);
      default:
        if (!WireFormatLite::SkipField(&in_, tag)) Malformed();
    }
  }

  void AddSize() {
    if (sizes_.size() == Shape::kMaxDims)
      Fail(StrCat("blob ", blobs_.size(), " has more than ", Shape::kMaxDims, " dimensions"));
    sizes_.push_back(ReadInt32());
  }

  void AddValues(int bytes, std::vector<float>* values) {
    if (bytes % sizeof(float) != 0) Malformed();
    counts_.back() += static_cast<int64_t>(bytes / sizeof(float));
    if (!keeps_values_) {
      if (!in_.Skip(bytes)) Malformed();
      return;
    }
    const size_t before = values->size();
    values->resize(before + bytes / sizeof(float));
    if (!in_.ReadRaw(values->data() + before, bytes)) Malformed();
  }

  void CheckSize(const Blob& blob, int64_t values) const {
    for (int i = 0; i < blob.shape.dims(); ++i)
      if (blob.shape[i] < 0)
        Fail(StrCat("param ", Quote(blob.name), " has the shape ", blob.shape.ToString()));
    if (blob.shape.size() != values)
      Fail(StrCat("param ", Quote(blob.name), " has ", values, " values, its shape ",
                  blob.shape.ToString(), " needs ", blob.shape.size()));
  }

  const std::string& file_;
  const bool keeps_values_;
  CodedInputStream in_;
  bool has_ids_ = false;
  std::vector<int64_t> sizes_;  // of the blob being read
  std::vector<int32_t> versions_;
  std::vector<std::string> names_;
  std::vector<Blob> blobs_;
  std::vector<int64_t> counts_;  // number of values of each blob
};

}  // namespace

std::vector<Blob> ParseBlobProtos(std::span<const std::byte> bytes, const std::string& file,
                                  BlobValues values) {
  if (bytes.size() > INT_MAX)
    throw DataError(file, -1, "is larger than 2 GiB, which no BlobProtos message is");
  return Reader(bytes, file, values).Read();
}

void WriteBlob(const std::string& name, int64_t version, const Shape& shape,
               std::span<const float> values, WritableFile* file) {
  BlobProtos message;
  message.add_id(0);
  message.add_version(static_cast<int32_t>(version));
  message.add_name(name);
  BlobProto* blob = message.add_blob();
  for (int i = 0; i < shape.dims(); ++i) blob->add_shape(static_cast<int32_t>(shape[i]));
  blob->mutable_data()->Add(values.begin(), values.end());
  const std::string bytes = message.SerializeAsString();
  file->Write(bytes.data(), bytes.size());
}

}  // namespace singa
