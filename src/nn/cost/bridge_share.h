// BridgeShare is the part of a feature that crosses a bridge, for one worker and for one host.
#pragma once

#include <map>

#include "nn/graph/bridge_layout.h"

namespace singa {

// In one direction. Each number is a share of the whole feature.
struct TransferShare {
  double got = 0;     // what the worker that gets most gets from others
  double copied = 0;  // the part of it that comes from workers of its host
  double sent = 0;    // what a host sends to others
};

struct BridgeShare {
  TransferShare feature, gradient;
};

// The shares of all bridges between `workers` workers, of which each host has `here`. Workers of a
// host follow each other.
class BridgeShares {
 public:
  BridgeShares(int workers, int here) : workers_(workers), here_(here) {}

  // Returns the share of a bridge, computed once.
  const BridgeShare& Of(const Layout& from, const Need& need);

 private:
  struct Key {
    Layout from;
    Need need;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  const int workers_, here_;
  std::map<Key, BridgeShare> known_;
};

}  // namespace singa
