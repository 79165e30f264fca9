// StoreOutput: an output layer that writes each row of its first source as a record, in logical
// order, with the label that its second source, if it has one, gives the row. A file holds labels
// if one of its first batch is not -1; later labels in a file without are an error. The layer's
// feature is the number of each row's record: (rows). With several time steps each writes its rows
// in turn, so that a batch comes step by step. The file at store_conf.path appears when a test, a
// validation or the training ends.
#pragma once

#include <string>

#include "io/store/output_files.h"
#include "nn/neuron/flat_rows.h"
#include "singa/nn/layer.h"

namespace singa {

class StoreOutput : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override;
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override;
  void WriteTo(OutputFiles* files) override { files_ = files; }
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override;

 protected:
  // `formats`: what store_conf.backend may be; the first is the default.
  explicit StoreOutput(std::vector<std::string> formats) : formats_(std::move(formats)) {}

 private:
  bool HoldsLabels(const int32_t* label) const;

  const std::vector<std::string> formats_;
  std::string path_, format_;
  FlatRows flat_;
  OutputFiles* files_ = nullptr;  // of the pass that runs
};

}  // namespace singa
