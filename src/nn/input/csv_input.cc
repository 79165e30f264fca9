// kCSVInput reads lines of numbers. A label comes before the numbers, or in label_column, unless
// has_label is false; or targets, if num_targets is set.
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
