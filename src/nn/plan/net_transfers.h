// NetTransfers finds the tensors of a net that are copied between host and device, and the nodes
// that wait for copies.
#pragma once

#include <deque>
#include <vector>

#include "nn/plan/net_layout.h"

namespace singa {

class NetTransfers {
 public:
  NetTransfers(const std::deque<NetNode>& nodes, const NetLayout& layout);

  // Returns the transfers of each node. REQUIRES: the sides' arenas are allocated.
  std::vector<Transfers> Make(const Context& ctx) const;
  // Returns the bytes of staging memory for node i's feature on its way to the device.
  int64_t StagedBytes(size_t i) const;
  // Returns whether node i reads, on the host, a value that a node on the device makes.
  bool ReadsDevice(size_t i) const;

 private:
  bool OnBoth(int value, int ValueTensors::*which) const;
  void Add(Side side, const Read& read, int ValueTensors::*which, int64_t step_bytes,
           std::vector<Transfers::Copy>* copies) const;
  void AddData(Side side, const Read& out, Transfers* own) const;
  void AddGradient(Side side, const Read& in, Transfers* own) const;
  bool MadeOnDevice(int value) const;

  const std::deque<NetNode>& nodes_;
  const NetLayout& layout_;
  std::vector<std::vector<size_t>> makers_;  // for each value: the nodes that make it
};

}  // namespace singa
