#include "nn/input/feed.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/picture/image_decoder.h"
#include "io/reader/row_decoder.h"
#include "io/table/csv_fields.h"
#include "math/parallel_slices.h"
#include "nn/input/store_settings.h"
#include "singa/base/error.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

// A store without records. RowDecoder needs it for its errors, which rows of the right size never
// cause.
class GivenRows final : public Store {
 public:
  int64_t size() const override { return 0; }
  const Sample& Read(int64_t) override { return none_; }
  const std::string& name() const override { return name_; }

 private:
  const Sample none_ = {};
  const std::string name_ = "given rows";
};

class Feed final : public Layer {
 public:
  Feed(std::unique_ptr<Layer> input, int64_t rows, const FedRows* fed)
      : input_(std::move(input)), rows_(rows), fed_(fed) {}

  Wiring wiring(const LayerProto& conf) const override { return input_->wiring(conf); }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    LayerProto own = conf;
    // Given rows have no targets.
    if (own.has_store_conf()) own.mutable_store_conf()->clear_num_targets();
    if (const RecordReader* reader = input_->reader())
      reader->SetBatchSize(static_cast<int32_t>(rows_), &own);
    input_->Setup(own, declare, in, out);
    const Wiring facts = input_->wiring(conf);
    // In a net that computes step by step, one output is left of many.
    steps_ = std::min(StepsOfRow(facts), static_cast<int64_t>(out.size()));
    if (out[0]->data.shape().dims() < (facts.outputs_are_steps ? 1 : 2))
      throw ConfigError("", "gives no rows of numbers, which could be given");
    for (int i = 1; i < out[0]->data.shape().dims(); ++i)
      record_.push_back(out[0]->data.shape()[i]);
    for (size_t t = 0; t < out.size(); ++t) {
      Shape shape = out[t]->data.shape();
      shape.Set(0, rows_);
      *out[t] = Port();
      out[t]->data.SetShape(shape);
      out[t]->span = {0, rows_, rows_, static_cast<int64_t>(t)};
    }
    SetStore(conf);
  }

  void Open(Context&) override { decoder_.emplace(record_, norm_, backend_, store_); }

  void ComputeFeature(Context& ctx, Phase, Inputs, Outputs out) override {
    const int64_t size = decoder_->size();
    // Work item i is step i % steps of row i / steps.
    ParallelSlices(ctx, rows_ * steps_ * size, size, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin / size; i < end / size; ++i) {
        const Sample sample = {.data = {fed_->data + i * size, static_cast<size_t>(size)}};
        const int64_t r = i / steps_;
        decoder_->Decode(sample, given_, r, out[i % steps_]->data.data() + r * size);
      }
    });
  }

 private:
  // Takes the layer's normalisation from its conf.
  void SetStore(const LayerProto& conf) {
    const StoreSettings settings = SettingsOf(conf);
    try {
      CheckNormalisation(settings.conf, record_);
    } catch (const ConfigError& error) {
      throw error.Under("store_conf");
    }
    norm_ = NormalisationOf(settings.conf);
    backend_ = settings.backend;
    store_.format = settings.format;
    store_.separator = SeparatorsIn(settings.conf.separator());
    store_.channels = PictureChannels(record_);
  }

  const std::unique_ptr<Layer> input_;
  const int64_t rows_;
  const FedRows* fed_;
  int64_t steps_ = 1;            // time steps of a row
  std::vector<int64_t> record_;  // shape of one step of a record, planar
  Normalisation norm_;
  std::string backend_;
  StoreOptions store_;
  GivenRows given_;
  std::optional<RowDecoder> decoder_;
};

}  // namespace

std::unique_ptr<Layer> NewFeed(std::unique_ptr<Layer> input, int64_t rows, const FedRows* fed) {
  return std::make_unique<Feed>(std::move(input), rows, fed);
}

}  // namespace singa
