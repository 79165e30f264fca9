#include "driver/predict/picture_reader.h"

#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {

PictureReader::PictureReader(const std::vector<int64_t>& shape, int32_t short_side)
    : shape_(shape), decoder_(PictureChannels(shape)) {
  if (short_side > 0) short_side_.emplace(short_side, shape);
}

const Sample& PictureReader::Read(const std::string& file, std::span<const uint8_t> bytes) {
  try {
    decoder_.Decode(bytes).Show(&sample_);
  } catch (const ValueError& error) {
    throw DataError(file, -1, error.what());
  }
  if (short_side_) sample_ = short_side_->Fit(sample_);
  const std::string misfit = sample_.Misfit(shape_, "the net takes");
  if (!misfit.empty()) throw DataError(file, -1, misfit);
  return sample_;
}

}  // namespace singa
