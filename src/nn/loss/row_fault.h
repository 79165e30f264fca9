// RowFault is the base of errors about what a layer reads in one row. CheckInputs
// (nn/plan/check_inputs.h) adds the record that has it.
#pragma once

#include <cstdint>
#include <string>

#include "singa/base/error.h"

namespace singa {

class RowFault : public Error {
 public:
  RowFault(int64_t row, const std::string& message) : Error(kExitBadData, message), row_(row) {}
  int64_t row() const { return row_; }

 private:
  int64_t row_;
};

}  // namespace singa
