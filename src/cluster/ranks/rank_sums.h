// RankSums adds gradients up among the processes of a worker group, which each have the values and
// the updater. Each slice has an owner: the others send it what they have added up, and it sends
// them the sum. Servers would compute the same bits (server/server.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/codec/float_frame.h"
#include "comm/collective/rank_link.h"
#include "comm/collective/slice_table.h"
#include "comm/message/frame_memory.h"

namespace singa {

class RankSums {
 public:
  // Takes the whole sum of a slice.
  using Take = std::function<void(int slice, std::span<const float> sum)>;

  // `buckets`: the slices of each exchange of a step. `codec`: of gradients, and of sums if it
  // sends them. `link`: between the group's processes, all of the job. `table`, `codec` and `link`
  // must outlive it.
  RankSums(const Topology& topology, const SliceTable& table, const Codec& codec,
           const std::vector<std::vector<int>>& buckets, RankLink* link);

  // Returns the most bytes that a process keeps for sums and for what comes, if each of `ranks`
  // owns as much of each bucket. nodes: sums that a process contributes to a slice.
  static int64_t Bytes(const SliceTable& table, const Codec& codec,
                       const std::vector<std::vector<int>>& buckets, int64_t ranks, int64_t nodes);

  // Returns whether this process sends its sums of the slice's gradient.
  bool contributes(int slice) const { return !routes_[slice].nodes[link_.rank()].empty(); }
  // Returns whether this process has workers that read the slice, and so takes its sum.
  bool takes(int slice) const { return routes_[slice].takes[link_.rank()]; }
  // Returns the process that adds the slice up, by its rank in the link.
  int owner(int slice) const { return routes_[slice].owner; }

  // Sends what this process contributes to `slices` in exchange number `exchange` to their owners.
  // own: by slice of the table, the encoded sums of this process's nodes. Any thread may call it.
  // Throws as RankLink does.
  void SendParts(int64_t exchange, std::span<const int> slices, std::span<const EncodedFloats> own);
  // Adds up those of these slices that this process owns, and sends the sums. Calls `take` for each
  // of them that this process takes. All ranks call it with the same slices. Throws as RankLink
  // does, and PeerError if bytes are not encoded sums. REQUIRES: SendParts was called.
  void AddUpOwn(int64_t exchange, std::span<const int> slices, std::span<const EncodedFloats> own,
                const Take& take);
  // Calls `take` for each of these slices that another process adds up and this one takes. Throws
  // as AddUpOwn does. REQUIRES: AddUpOwn was called, so that no process waits for this one.
  void TakeOthers(int64_t exchange, std::span<const int> slices, const Take& take);

 private:
  struct Route {
    int owner = 0;
    std::vector<std::vector<SumNode>> nodes;  // by rank: what it contributes
    std::vector<bool> takes;                  // by rank
    SumNode root;
  };
  struct Summed {
    int slice = 0;
    Frame encoded, floats;
  };
  // Encoded floats that have come.
  struct Received {
    std::shared_ptr<std::byte[]> memory;
    std::vector<std::span<std::byte>> parts;

    Frame frame(size_t i) const { return {memory, parts[i].data(), parts[i].size()}; }
  };
  enum Kind { kPartSizes, kParts, kSumSizes, kSums, kKinds };

  int64_t FloatsOf(int slice, int rank) const {
    return table_[slice].size * std::ssize(routes_[slice].nodes[rank]);
  }
  std::vector<int> SlicesOf(std::span<const int> slices,
                            const std::function<bool(int slice)>& goes) const;
  void Send(int to, int64_t exchange, Kind sizes, const Codec& codec,
            const std::vector<Frame>& all);
  Received Receive(int from, int64_t exchange, Kind sizes, const Codec& codec,
                   const std::vector<int64_t>& floats);
  std::vector<Summed> SumsOf(int64_t exchange, std::span<const int> slices,
                             std::span<const EncodedFloats> own);
  Summed AddUpSlice(int slice, const std::vector<Frame>& parts);
  void TakeSums(int from, int64_t exchange, std::span<const int> slices, const Take& take);
  int64_t TagOf(int64_t exchange, Kind kind) const {
    return (exchange * kKinds + kind) * messages_;
  }

  const SliceTable& table_;
  const Codec& codec_;
  const Codec& codec_of_sums_;
  RankLink& link_;
  int64_t messages_ = 1;       // most messages of one rank to another in one part of an exchange
  std::vector<Route> routes_;  // by slice
  FrameMemory memory_;         // of what comes, and of sums
};

}  // namespace singa
