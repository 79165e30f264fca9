// LinkCollective runs collective operations among ranks that reach each other by a RankLink. A rank
// may be a process of several workers: it adds up their numbers first, and contributes the nodes of
// the group's SumTree that its workers make up.
//
// Numbers travel in chunks. Rank c % size() adds up chunk c and sends the sum to all, so that each
// rank carries the same share of a large sum. The numbers of a small sum go from each rank to all,
// which takes the time of one message instead of two.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/collective/collective.h"
#include "comm/collective/rank_link.h"
#include "math/reduction/sum_tree.h"

namespace singa {

class LinkCollective final : public Collective {
 public:
  // nodes: for each rank, the nodes that it contributes; all of them make up the tree. `link` must
  // outlive this.
  LinkCollective(RankLink* link, std::vector<std::vector<SumNode>> nodes);

  // Returns the nodes of a group in which each of `ranks` ranks counts as one worker.
  static std::vector<std::vector<SumNode>> OneNodeEach(int ranks);

  int rank() const override { return link_.rank(); }
  int size() const override { return link_.size(); }

  void Await(Operation operation) override;
  // REQUIRES: each rank has one node. Does not use `room`.
  void ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                     std::span<float> room) override;

  // Replaces `values` by their sum over the ranks. Each rank counts once, also if it has several
  // workers.
  void AllReduceOfRanks(std::span<double> values);

 private:
  static constexpr int64_t kLeastBytes = 1 << 15;  // of a rank's numbers in a chunk, but the last
  static constexpr int64_t kAhead = 4;             // most chunks of each rank in flight
  static constexpr int kMostToAll = 8;             // ranks that may send a small sum to all

  struct Started : Request {
    int64_t tag = 0;  // the operation's first tag
    bool done = false;
  };

  Operation Start(const Request& request) override;
  int64_t ReserveTags(const Request& request);
  void SendOwn(const Started& one);
  void Complete(Started* one);

  int64_t BytesOf(const Request& request) const;
  bool GoesToAll(const Request& request) const;
  template <typename T>
  int64_t MostOf(const Request& request) const;  // numbers of a chunk
  template <typename T>
  int64_t ChunksOfSum(const Request& request) const;
  template <typename T>
  void SendParts(const Started& one, int64_t first);
  template <typename T>
  void CompleteSum(const Started& one);
  template <typename T>
  void AddUpParts(const Started& one, int64_t chunk, std::span<T> sum);
  template <typename T>
  std::vector<T> PartsOf(const Started& one, int64_t chunk) const;
  void SendToAll(int64_t tag, std::span<const std::byte> bytes);
  void AddUpPiece(Context& ctx, int64_t piece, int64_t tag, const PieceWork& work,
                  std::vector<float>* own);

  RankLink& link_;
  const std::vector<std::vector<SumNode>> nodes_;  // by rank
  SumNode root_;
  size_t most_nodes_ = 1;                      // most nodes of one rank
  std::array<Started, kMostStarted> started_;  // operation i is at i % kMostStarted
  Operation next_ = 0;
  int64_t next_tag_ = 0;
};

}  // namespace singa
