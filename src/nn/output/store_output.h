// StoreOutput is the base class of output layers that write records. It writes each row of its
// first source, in logical order, as a record, with the label that its second source (if any) gives
// the row. A file has labels if a label of its first batch is not -1; then a later label in a file
// without labels is an error. The layer's feature is the number of each row's record: (rows). With
// several time steps, a batch's records are written step by step. The file at store_conf.path
// appears when a test, a validation or the training ends. The first worker of a group writes the
// rows of all workers, which a bridge brings.
#pragma once

#include <string>

#include "io/store/output_files.h"
#include "nn/feature/flat_rows.h"
#include "singa/nn/layer.h"

namespace singa {

class StoreOutput : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override;
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override;
  void WriteTo(OutputFiles* files) override { files_ = files; }
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override;

 protected:
  // `formats` lists the allowed values of store_conf.backend; the first is the default.
  explicit StoreOutput(std::vector<std::string> formats) : formats_(std::move(formats)) {}

 private:
  bool HoldsLabels(const int32_t* label) const;

  const std::vector<std::string> formats_;
  std::string path_, format_;
  FlatRows flat_;
  bool writes_ = true;            // false: not the first worker of its group
  OutputFiles* files_ = nullptr;  // files of the current pass
};

}  // namespace singa
