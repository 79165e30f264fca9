// NetReaders moves the record readers of a net's input layers together.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/net.h"

namespace singa {

class NetReaders {
 public:
  using Positions = std::vector<std::pair<std::string, int64_t>>;

  explicit NetReaders(Net* net) : net_(net) {}

  // Returns the milliseconds that input layers waited for records since the last call.
  double TakeWaitMs();
  // Returns the next record of each reader, by layer.
  Positions positions() const;
  void Seek(const Positions& positions);
  // Moves the readers on by `steps` batches. Returns false if a layer does not tell its Stride.
  bool Skip(int64_t steps);

 private:
  Net* const net_;
};

}  // namespace singa
