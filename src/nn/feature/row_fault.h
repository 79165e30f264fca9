// RowFault is the base of errors about the labels, targets or indices of one row. CheckInputs
// (nn/plan/check_inputs.h) adds the record of that row.
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
