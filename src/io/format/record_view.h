// RecordView gives the sample that a RecordProto holds.
#pragma once

#include <optional>

#include "io/picture/image_decoder.h"
#include "io/store/value_parser.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {

class RecordView {
 public:
  explicit RecordView(const StoreOptions& options) {
    if (options.encoded) decoder_.emplace(options.channels);
  }

  const Sample& Of(const RecordProto& record) {
    sample_.data = {record.data().data(), static_cast<size_t>(record.data_size())};
    sample_.pixel = {reinterpret_cast<const uint8_t*>(record.pixel().data()),
                     record.pixel().size()};
    sample_.shape = {record.shape().data(), static_cast<size_t>(record.shape_size())};
    sample_.targets = {record.target().data(), static_cast<size_t>(record.target_size())};
    sample_.label = record.has_label() ? record.label() : kNoLabel;
    sample_.decoded = false;
    if (decoder_ && sample_.data.empty()) decoder_->Decode(sample_.pixel).Show(&sample_);
    return sample_;
  }

 private:
  std::optional<ImageDecoder> decoder_;  // not set: pixels are numbers
  Sample sample_;
};

}  // namespace singa
