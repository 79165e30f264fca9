// MemoryLinks is Links between threads of one process. It stands for messages between processes,
// and for MPI, whose sends are buffered and tagged in the same way.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "comm/collective/rank_link.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

class MemoryLinks {
 public:
  explicit MemoryLinks(int ranks) : bytes_(ranks), messages_(ranks) {
    for (int rank = 0; rank < ranks; ++rank)
      links_.push_back(std::make_unique<OneLink>(this, rank, ranks));
  }
  RankLink* operator[](int rank) { return links_[rank].get(); }
  // Returns the number of messages that were sent and that nobody has received.
  size_t under_way() {
    const std::lock_guard lock(mutex_);
    return sent_.size();
  }
  // Returns the most bytes that one rank has sent.
  int64_t most_sent() const { return *std::ranges::max_element(bytes_); }
  // Returns the most messages that one rank has sent.
  int most_messages() const { return *std::ranges::max_element(messages_); }

 private:
  using Key = std::tuple<int, int, int64_t>;  // sender, receiver, tag

  struct OneLink final : RankLink {
    OneLink(MemoryLinks* all_links, int own, int count)
        : all(*all_links), place(own), ranks(count) {}
    int rank() const override { return place; }
    int size() const override { return ranks; }
    void Send(int to, int64_t tag, std::span<const std::byte> bytes) override {
      all.Put({place, to, tag}, bytes);
    }
    void Receive(int from, int64_t tag, std::span<std::byte> bytes) override {
      all.Take({from, place, tag}, bytes);
    }
    void Reserve(const UnderWay&) override {}
    MemoryLinks& all;
    const int place, ranks;
  };

  void Put(const Key& key, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    const bool is_new = sent_.try_emplace(key, bytes.begin(), bytes.end()).second;
    if (!is_new || std::ssize(bytes) > RankLink::kMostBytes)
      throw PeerError("a tag is used twice, or a message is too large");
    bytes_[std::get<0>(key)] += std::ssize(bytes);
    ++messages_[std::get<0>(key)];
    changed_.notify_all();
  }
  void Take(const Key& key, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sent_.contains(key); });
    const std::vector<std::byte> message = sent_.extract(key).mapped();
    if (message.size() != bytes.size())
      throw PeerError(StrCat(message.size(), " bytes instead of ", bytes.size()));
    std::ranges::copy(message, bytes.begin());
  }

  std::vector<std::unique_ptr<OneLink>> links_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::map<Key, std::vector<std::byte>> sent_;
  std::vector<int64_t> bytes_;  // that each rank has sent
  std::vector<int> messages_;   // and their number
};

}  // namespace singa
