// Parses Caffe's Datums, the values of an LMDB store.
#include <array>

#include "io/format/record_parsers.h"
#include "io/picture/image_decoder.h"
#include "io/store/value_parser.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

class DatumParser final : public ValueParser {
 public:
  explicit DatumParser(int channels) : decoder_(channels) {}

  const Sample& Parse(std::string_view value) override {
    if (!datum_.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw ValueError(StrCat("its ", value.size(), " bytes are no Datum of Caffe's"));
    sample_ = {
        .pixel = {reinterpret_cast<const uint8_t*>(datum_.data().data()), datum_.data().size()},
        .label = datum_.has_label() ? datum_.label() : kNoLabel};
    if (datum_.encoded()) {
      decoder_.Decode(sample_.pixel).Show(&sample_);
      return sample_;
    }
    if (sample_.pixel.empty())
      sample_.data = {datum_.float_data().data(), static_cast<size_t>(datum_.float_data_size())};
    shape_ = {datum_.channels(), datum_.height(), datum_.width()};
    if (datum_.has_channels() && datum_.has_height() && datum_.has_width()) sample_.shape = shape_;
    return sample_;
  }
  std::optional<int32_t> LabelOf(std::string_view value) const override {
    return FieldOf(value, CaffeDatum::kLabelFieldNumber);
  }

 private:
  CaffeDatum datum_;
  ImageDecoder decoder_;
  std::array<int32_t, 3> shape_{};
  Sample sample_;
};

}  // namespace

std::unique_ptr<ValueParser> NewDatumParser(int channels) {
  return std::make_unique<DatumParser>(channels);
}

}  // namespace singa
