// ScoreWatch: finds rows whose scores are not finite, where a test's layers read them.
#pragma once

#include <cstdint>
#include <string>

#include "singa/nn/net.h"

namespace singa {

class ScoreWatch {
 public:
  // Puts itself before each layer of `net` that has metrics or writes a file; on a device its
  // sources are not looked at. It outlives the net.
  void Watch(Net* net);

  // "" where all were finite, else the layer, the first record and how many rows there were.
  std::string Text() const;

 private:
  friend class WatchedLayer;
  void Add(const Net& net, const std::string& layer, int64_t row);

  int64_t rows_ = 0;
  std::string layer_, record_;  // of the first
};

}  // namespace singa
