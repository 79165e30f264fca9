// OffsetLink is a RankLink whose tags are those of another link from an offset on. Several users
// share the other link in this way.
#pragma once

#include <vector>

#include "comm/collective/rank_link.h"

namespace singa {

class OffsetLink final : public RankLink {
 public:
  // `link` must outlive it.
  OffsetLink(RankLink* link, int64_t first_tag) : link_(*link), first_tag_(first_tag) {}

  int rank() const override { return link_.rank(); }
  int size() const override { return link_.size(); }
  void Send(int to, int64_t tag, std::span<const std::byte> bytes) override {
    link_.Send(to, first_tag_ + tag, bytes);
  }
  void Receive(int from, int64_t tag, std::span<std::byte> bytes) override {
    link_.Receive(from, first_tag_ + tag, bytes);
  }
  void SendAll(int to, int64_t first_tag, std::span<const std::byte> bytes) override {
    link_.SendAll(to, first_tag_ + first_tag, bytes);
  }
  void ReceiveAll(int from, int64_t first_tag, std::span<std::byte> bytes) override {
    link_.ReceiveAll(from, first_tag_ + first_tag, bytes);
  }
  void SendEach(int to, int64_t first_tag, const std::vector<Frame>& frames) override {
    link_.SendEach(to, first_tag_ + first_tag, frames);
  }
  void ReceiveEach(int from, int64_t first_tag,
                   std::span<const std::span<std::byte>> all) override {
    link_.ReceiveEach(from, first_tag_ + first_tag, all);
  }
  void Reserve(const UnderWay& more) override { link_.Reserve(more); }

 private:
  RankLink& link_;
  const int64_t first_tag_;
};

}  // namespace singa
