// kRecordOutput: a RecordProto with data and label for each row, its shape left out; in a textfile
// the same as kCSVOutput's lines.
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
