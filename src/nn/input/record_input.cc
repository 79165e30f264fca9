// kRecordInput reads records of a kvfile, a textfile or MNIST's IDX files.
#include "nn/input/store_input.h"

namespace singa {
namespace {

class RecordInput final : public StoreInput {
 public:
  RecordInput() : StoreInput(ValueFormat::kRecord, "kvfile") {}
};

SINGA_REGISTER_LAYER(kRecordInput, RecordInput);

}  // namespace
}  // namespace singa
