// NetTransfers: what of a net's tensors is copied between host and device, and who waits for it.
#pragma once

#include <deque>
#include <vector>

#include "nn/plan/net_storage.h"

namespace singa {

class NetTransfers {
 public:
  NetTransfers(const std::deque<NetNode>& nodes, Net::Storage& storage);

  // Of each node. REQUIRES: the sides' arenas are there.
  std::vector<Transfers> Make(const Context& ctx) const;
  // Bytes that node i's feature takes on its way to the device.
  int64_t StagedBytes(size_t i) const;
  // Whether node i looks on the host at what a node on the device makes.
  bool ReadsDevice(size_t i) const;

 private:
  bool OnBoth(int value, int ValueTensors::*which) const;
  void Add(Side side, const Read& read, int ValueTensors::*which, int64_t step_bytes,
           std::vector<Transfers::Copy>* copies) const;
  void AddData(Side side, const Read& out, Transfers* own) const;
  void AddGradient(Side side, const Read& in, Transfers* own) const;
  bool MadeOnDevice(int value) const;

  const std::deque<NetNode>& nodes_;
  Net::Storage& s_;
  std::vector<std::vector<size_t>> makers_;  // of each value
};

}  // namespace singa
