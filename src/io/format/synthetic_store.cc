// Backend "synthetic" gives noise instead of data, to measure speed. Byte i of record r is byte r n
// + i of a Philox stream, with n the record's size rounded up to whole blocks. Labels are uniform
// in [0, classes), targets in [0, 1).
#include "io/format/synthetic_store.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <vector>

#include "io/store/store.h"
#include "singa/base/error.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

constexpr int64_t kBlockBytes = 16;

class SyntheticStore final : public Store {
 public:
  explicit SyntheticStore(const StoreOptions& options)
      : records_(options.records), classes_(options.classes) {
    int64_t size = 1;
    for (int64_t d : options.shape) size *= d;
    shape_.assign(options.shape.begin(), options.shape.end());
    blocks_ = (size + kBlockBytes - 1) / kBlockBytes;
    bytes_.resize(blocks_ * kBlockBytes);
    sample_.pixel = std::span<const uint8_t>(bytes_).first(size);
    sample_.shape = shape_;
    targets_.resize(options.targets);
    sample_.targets = targets_;
  }

  int64_t size() const override { return records_; }
  const std::string& name() const override { return name_; }

  const Sample& Read(int64_t index) override {
    static_assert(std::endian::native == std::endian::little);
    for (int64_t b = 0; b < blocks_; ++b) {
      const auto block = kPixels.Block(index * blocks_ + b);
      std::memcpy(bytes_.data() + b * kBlockBytes, block.data(), kBlockBytes);
    }
    sample_.label = static_cast<int32_t>(kLabels.Below(index, classes_));
    const int64_t targets = std::ssize(targets_);
    for (int64_t i = 0; i < targets; ++i) targets_[i] = kTargets.Uniform(index * targets + i);
    return sample_;
  }

 private:
  static constexpr Philox kPixels = {.purpose = HashName("synthetic pixels")};
  static constexpr Philox kLabels = {.purpose = HashName("synthetic labels")};
  static constexpr Philox kTargets = {.purpose = HashName("synthetic targets")};

  const std::string name_ = kSyntheticBackend;
  const int64_t records_, classes_;
  int64_t blocks_ = 0;  // Philox blocks per record
  std::vector<int32_t> shape_;
  std::vector<uint8_t> bytes_;
  std::vector<float> targets_;
  Sample sample_;
};

std::unique_ptr<Store> OpenSyntheticStore(const StoreOptions& options) {
  if (options.shape.empty())
    throw ConfigError("", "\"synthetic\" needs a shape: it is for a job's input layers alone");
  return std::make_unique<SyntheticStore>(options);
}

std::optional<bool> IsQuickSynthetic(const std::string&) { return true; }

SINGA_REGISTER_STORE(synthetic, OpenSyntheticStore, .targets = true, .no_file = true,
                     .encoded = Encoded::kIgnored, .known_as = "random dummy fake",
                     .is_quick = IsQuickSynthetic);

}  // namespace
}  // namespace singa
