// ScoreWatch finds rows whose scores are not finite, when a test's layers read them.
#pragma once

#include <cstdint>
#include <string>

#include "singa/nn/net.h"

namespace singa {

class ScoreWatch {
 public:
  // Checks the sources of each layer of `net` that has metrics or writes a file, except on a
  // device. This object must outlive the net.
  void Watch(Net* net);

  // Returns "" if all scores were finite, else the layer, the first record and the number of such
  // rows.
  std::string Text() const;

 private:
  friend class WatchedLayer;
  void Add(const Net& net, const std::string& layer, int64_t row);

  int64_t rows_ = 0;
  std::string layer_, record_;  // layer and record of the first such row
};

}  // namespace singa
