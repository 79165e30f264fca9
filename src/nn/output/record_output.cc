// kRecordOutput writes a RecordProto with data and label, but no shape, for each row. In a textfile
// it writes the same lines as kCSVOutput.
#include "nn/output/store_output.h"

namespace singa {
namespace {

class RecordOutput final : public StoreOutput {
 public:
  RecordOutput() : StoreOutput({"kvfile", "textfile"}) {}
};
SINGA_REGISTER_LAYER(kRecordOutput, RecordOutput);

}  // namespace
}  // namespace singa
