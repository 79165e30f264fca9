// kCSVInput reads lines of numbers. The first one, or the one in label_column, is a label unless
// has_label is false. With num_targets, targets stand there in its place.
#include "nn/input/store_input.h"

namespace singa {
namespace {

class CsvInput final : public StoreInput {
 public:
  CsvInput() : StoreInput(ValueFormat::kCsv, "textfile") {}
};

SINGA_REGISTER_LAYER(kCSVInput, CsvInput);

}  // namespace
}  // namespace singa
