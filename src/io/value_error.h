// ValueError is thrown by what reads the bytes of one value.
#pragma once

#include <stdexcept>

namespace singa {

// A value is bad. The store knows its place and turns the error into a DataError.
class ValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace singa
