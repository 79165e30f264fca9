// kCSVOutput writes a line label,f1,f2,... for each row; without a label f1,f2,... Numbers have
// enough digits to read the same number back.
#include "nn/output/store_output.h"

namespace singa {
namespace {

class CsvOutput final : public StoreOutput {
 public:
  CsvOutput() : StoreOutput({"textfile"}) {}
};
SINGA_REGISTER_LAYER(kCSVOutput, CsvOutput);

}  // namespace
}  // namespace singa
