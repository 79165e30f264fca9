#include "io/checkpoint/params_file.h"

#include <glog/logging.h>

#include <bit>
#include <cstring>
#include <utility>

#include "io/checkpoint/blob_protos.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/find_checkpoint.h"
#include "io/checkpoint/json_text.h"

namespace singa {
namespace {

bool LooksLikeSafetensors(const MappedFile& file) {
  if (file.path().ends_with(".safetensors")) return true;
  const std::span<const std::byte> bytes = file.bytes();
  uint64_t header = 0;
  if (bytes.size() < sizeof header + 2) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header <= Safetensors::kMaxHeaderBytes && bytes[sizeof header] == std::byte{'{'};
}

// A worker of SINGA 0.3 without params left an empty file, step<N>-worker<W>.
bool MayBeEmpty(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.starts_with("step") && name.find("-worker") != std::string::npos;
}

// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
float FromF16(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1f,
                 fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 0x1f ? 0xff : exponent + 127 - 15;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float ToFloat(StoredType type, const std::byte* p) {
  uint16_t half;
  double wide;
  switch (type) {
    case StoredType::kF16:
      std::memcpy(&half, p, sizeof half);
      return FromF16(half);
    case StoredType::kBF16:
      std::memcpy(&half, p, sizeof half);
      return std::bit_cast<float>(uint32_t{half} << 16);
    default:
      std::memcpy(&wide, p, sizeof wide);
      return static_cast<float>(wide);
  }
}

}  // namespace

class ParamsFileReader {
 public:
  explicit ParamsFileReader(Reading reading) : whole_(reading == Reading::kWhole) {}

  ParamsFile Read(const std::string& path) {
    const TrainedPath found = FindTrainedPath(path);
    out_.path_ = found.path;
    if (found.kind == TrainedPath::kFile)
      ReadFile(MappedFile(found.path));
    else if (found.kind == TrainedPath::kFolder)
      ReadCheckpoint(LoadNewest(path, [this](const std::string& text) {
        if (whole_) LOG(WARNING) << text;
      }));
    else
      ReadCheckpoint(whole_ ? LoadCheckpoint(found.path) : OpenCheckpoint(found.path));
    return std::move(out_);
  }

 private:
  void ReadCheckpoint(const std::shared_ptr<const Checkpoint>& checkpoint) {
    out_.path_ = checkpoint->dir();
    out_.kind_ = ParamsFile::Kind::kCheckpoint;
    out_.memory_.push_back(checkpoint);
    AddTensors(checkpoint->params(), checkpoint->step(), [&](const StoredTensor& value) {
      const StoredTensor* const average = FindAverage(*checkpoint, value.name);
      return average && average->shape == value.shape ? average : &value;
    });
  }

  void ReadFile(MappedFile file) {
    if (file.bytes().empty() && !MayBeEmpty(file.path()))
      throw DataError(file.path(), -1, "is empty");
    if (LooksLikeSafetensors(file)) {
      const auto tensors = std::make_shared<const SafetensorsFile>(std::move(file));
      out_.kind_ = ParamsFile::Kind::kSafetensors;
      out_.memory_.push_back(tensors);
      return AddTensors(tensors->view(), 0, [](const StoredTensor& value) { return &value; });
    }
    const auto blobs = std::make_shared<const std::vector<Blob>>(
        ParseBlobProtos(file.bytes(), out_.path_, whole_ ? BlobValues::kRead : BlobValues::kCount));
    out_.kind_ = ParamsFile::Kind::kBlobProtos;
    out_.memory_.push_back(blobs);
    for (const Blob& blob : *blobs)
      Add(blob.name, {blob.shape, blob.values, blob.version, blob.by_v03});
  }

  // Adds the tensor that `choose` returns for each one.
  template <typename Choose>
  void AddTensors(const Safetensors& tensors, int64_t version, const Choose& choose) {
    for (const StoredTensor& each : tensors.tensors()) {
      const StoredTensor& tensor = *choose(each);
      if (IsFloating(tensor.type))
        Add(each.name, {tensor.shape, Floats(tensor), version});
      else
        out_.left_out_.push_back(each.name);
    }
  }

  // Returns the values in place, or a copy if they have another type or are not aligned.
  std::span<const float> Floats(const StoredTensor& tensor) {
    const auto size = static_cast<size_t>(tensor.shape.size());
    if (size == 0 || !whole_) return {};
    if (tensor.type == StoredType::kF32 &&
        reinterpret_cast<uintptr_t>(tensor.data) % alignof(float) == 0)
      return {static_cast<const float*>(tensor.data), size};
    const auto copy = std::make_shared<std::vector<float>>(size);
    const auto* p = static_cast<const std::byte*>(tensor.data);
    if (tensor.type == StoredType::kF32)
      std::memcpy(copy->data(), p, size * sizeof(float));
    else
      for (size_t i = 0; i < size; ++i)
        (*copy)[i] = ToFloat(tensor.type, p + i * SizeOf(tensor.type));
    out_.memory_.push_back(copy);
    return *copy;
  }

  void Add(const std::string& name, const ParamsFile::Entry& entry) {
    const std::string plain = name.starts_with("0#") ? name.substr(2) : name;
    if (!out_.params_.emplace(plain, entry).second)
      throw DataError(out_.path_, -1, StrCat("param ", Quote(plain), " occurs twice"));
  }

  const bool whole_;
  ParamsFile out_;
};

ParamsFile LoadParams(const std::string& path, Reading reading) {
  return ParamsFileReader(reading).Read(path);
}

}  // namespace singa
