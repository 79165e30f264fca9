#include "cluster/ranks/rank_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "comm/codec/identity.h"
#include "comm/collective/link_tags.h"
#include "comm/collective/slice_buckets.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// The frames of one exchange travel as few messages: a large one alone, which saves a copy, and
// small ones together. Both sides know the lengths, and so the messages.
constexpr uint32_t kLarge = 1 << 14;  // bytes

// Returns the frames of each message.
std::vector<Range> MessagesOf(std::span<const uint32_t> lengths) {
  std::vector<Range> messages;
  for (int i = 0; i < std::ssize(lengths); ++i) {
    const bool alone = i == 0 || lengths[i] >= kLarge || lengths[i - 1] >= kLarge;
    if (alone)
      messages.push_back({i, i + 1});
    else
      messages.back().last = i + 1;
  }
  return messages;
}

std::span<const float> Decoded(const Codec& codec, const Frame& bytes, int64_t n, Frame* floats) {
  std::optional<Frame> decoded = Decode(codec, bytes, n);
  if (!decoded) throw PeerError("a process sends bytes that are no gradient of a slice");
  *floats = std::move(*decoded);
  return FloatsOf(*floats);
}

}  // namespace

// A slice's owner is the rank that owns the fewest floats so far, of those that contribute to it.
RankSums::RankSums(const Topology& topology, const SliceTable& table, const Codec& codec,
                   const std::vector<std::vector<int>>& buckets, RankLink* link)
    : table_(table),
      codec_(codec),
      codec_of_sums_(codec.sends_sums() ? codec : Identity()),
      link_(*link),
      routes_(table.size()) {
  std::vector<int64_t> owned(link_.size());
  int64_t most_nodes = 1;
  for (int s = 0; s < table.size(); ++s) {
    Route& route = routes_[s];
    const Contributors& by = table[s].by;
    route.nodes = topology.ProcessNodes(0, by);
    route.root = SumTree(by.all() ? topology.workers_per_group() : by.count).root();
    route.owner = -1;
    for (int rank = 0; rank < link_.size(); ++rank) {
      most_nodes = std::max<int64_t>(most_nodes, std::ssize(route.nodes[rank]));
      route.takes.push_back(by.all() || topology.Reads(rank, 0, by));
      if (route.nodes[rank].empty()) continue;
      if (route.owner < 0 || owned[rank] < owned[route.owner]) route.owner = rank;
    }
    owned[route.owner] += table[s].size;
  }
  const auto most_bytes = [&](int64_t floats, int64_t slices) {
    return codec.MostBytes(floats * most_nodes) + codec.MostBytes(0) * slices;
  };
  int64_t most_slices = 0;
  for (const std::vector<int>& bucket : buckets)
    most_slices = std::max<int64_t>(most_slices, std::ssize(bucket));
  messages_ =
      RankLink::MessagesOf(most_bytes(MostFloats(table, buckets), most_slices)) + most_slices + 1;
  // Parts of all exchanges of a step may come before the first is added up. A process has all sums
  // of a step before it sends parts of the next one.
  constexpr int kSteps = 2;
  const int64_t bytes = most_bytes(table.elements(), table.size());
  link_.Reserve({.bytes = kSteps * (bytes + RankLink::kMostBytes),
                 .messages = kSteps * 2 * (RankLink::MessagesOf(bytes) + 2 * int64_t{table.size()}),
                 .tags = kSteps * std::ssize(buckets) * kKinds * messages_});
}

// A block of memory serves all buckets whose blocks have the same size class (FrameMemory).
int64_t RankSums::Bytes(const SliceTable& table, const Codec& codec,
                        const std::vector<std::vector<int>>& buckets, int64_t ranks,
                        int64_t nodes) {
  std::map<int, int64_t> parts;  // by size class: the largest block
  int64_t sums = 0;              // floats that it owns
  for (const std::vector<int>& bucket : buckets) {
    int64_t floats = 0;
    for (const int s : bucket) floats += table[s].size;
    const int64_t own = (floats + ranks - 1) / ranks;
    sums += own;
    const int64_t part = codec.MostBytes(own * nodes);
    int64_t& block = parts[std::bit_width(static_cast<uint64_t>(part - 1))];
    block = std::max(block, part);
  }
  int64_t bytes = sums * static_cast<int64_t>(sizeof(float));
  if (!codec.plain() && codec.sends_sums()) bytes += codec.MostBytes(sums);
  for (const auto& [size, block] : parts) bytes += (ranks - 1) * block;
  return bytes;
}

std::vector<int> RankSums::SlicesOf(std::span<const int> slices,
                                    const std::function<bool(int)>& goes) const {
  std::vector<int> some;
  for (const int slice : slices)
    if (goes(slice)) some.push_back(slice);
  return some;
}

// A plain codec's sizes follow from the slices, and are not sent.
void RankSums::Send(int to, int64_t exchange, Kind sizes, const Codec& codec,
                    const std::vector<Frame>& all) {
  if (all.empty()) return;
  std::vector<uint32_t> lengths;
  lengths.reserve(all.size());
  for (const Frame& one : all) lengths.push_back(static_cast<uint32_t>(one.size()));
  std::vector<Frame> messages;
  for (const Range& frames : MessagesOf(lengths)) {
    std::vector<Frame> some(all.begin() + frames.first, all.begin() + frames.last);
    JoinFrames(&some);
    messages.push_back(some.front());
  }
  const int64_t tag = kGradientTags + TagOf(exchange, sizes);
  if (!codec.plain()) link_.SendAll(to, tag, std::as_bytes(std::span(lengths)));
  link_.SendEach(to, tag + messages_, messages);
}

// floats: of each frame.
RankSums::Received RankSums::Receive(int from, int64_t exchange, Kind sizes, const Codec& codec,
                                     const std::vector<int64_t>& floats) {
  if (floats.empty()) return {};
  std::vector<uint32_t> lengths;
  lengths.reserve(floats.size());
  for (const int64_t n : floats) lengths.push_back(static_cast<uint32_t>(codec.MostBytes(n)));
  const int64_t tag = kGradientTags + TagOf(exchange, sizes);
  if (!codec.plain()) link_.ReceiveAll(from, tag, std::as_writable_bytes(std::span(lengths)));
  size_t all = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    if (lengths[i] > codec.MostBytes(floats[i]))
      throw PeerError(StrCat("process ", from, " sends ", lengths[i], " bytes of a gradient of ",
                             floats[i], " numbers"));
    all += lengths[i];
  }
  Received received{memory_.Take(all), {}};
  std::byte* at = received.memory.get();
  for (const uint32_t length : lengths) {
    received.parts.emplace_back(at, length);
    at += length;
  }
  std::vector<std::span<std::byte>> messages;
  for (const Range& frames : MessagesOf(lengths)) {
    std::byte* const first = received.parts[frames.first].data();
    const std::span<std::byte>& last = received.parts[frames.last - 1];
    messages.emplace_back(first, last.data() + last.size());
  }
  link_.ReceiveEach(from, tag + messages_, messages);
  return received;
}

void RankSums::SendParts(int64_t exchange, std::span<const int> slices,
                         std::span<const EncodedFloats> own) {
  for (int hop = 1; hop < link_.size(); ++hop) {
    const int to = (link_.rank() + hop) % link_.size();  // not all to the same rank at first
    std::vector<Frame> all;
    for (const int s :
         SlicesOf(slices, [&](int one) { return contributes(one) && owner(one) == to; }))
      all.push_back(own[s].bytes);
    Send(to, exchange, kPartSizes, codec_, all);
  }
}

// parts: by rank; empty: it contributes nothing.
RankSums::Summed RankSums::AddUpSlice(int slice, const std::vector<Frame>& parts) {
  const int64_t n = table_[slice].size;
  const Route& route = routes_[slice];
  std::vector<Frame> kept(parts.size());
  std::vector<SumNode> nodes;
  std::vector<const float*> sums;
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    if (route.nodes[rank].empty()) continue;
    const float* from =
        Decoded(codec_, parts[rank], FloatsOf(slice, static_cast<int>(rank)), &kept[rank]).data();
    for (const SumNode& node : route.nodes[rank]) {
      nodes.push_back(node);
      sums.push_back(std::exchange(from, from + n));
    }
  }
  const auto memory = memory_.Take(n * sizeof(float));
  const std::span sum(reinterpret_cast<float*>(memory.get()), static_cast<size_t>(n));
  const Frame floats(memory, sum.data(), sum.size_bytes());
  singa::AddUp<float>(route.root, nodes, sums, n, sum.data());
  if (codec_of_sums_.plain()) return {slice, floats, floats};
  const Frame encoded = EncodeSum(codec_of_sums_, sum).bytes;
  if (!codec_of_sums_.Decode(encoded.bytes(), sum))
    throw PeerError("a sum of gradients cannot be decoded");
  return {slice, encoded, floats};
}

// Returns the sums of the slices that this rank owns, in order.
std::vector<RankSums::Summed> RankSums::SumsOf(int64_t exchange, std::span<const int> slices,
                                               std::span<const EncodedFloats> own) {
  const std::vector<int> mine =
      SlicesOf(slices, [&](int one) { return owner(one) == link_.rank(); });
  std::vector<std::vector<Frame>> parts(mine.size(), std::vector<Frame>(link_.size()));
  for (int rank = 0; rank < link_.size(); ++rank) {
    std::vector<int64_t> floats;
    for (const int s : mine)
      if (rank != link_.rank() && FloatsOf(s, rank) > 0) floats.push_back(FloatsOf(s, rank));
    const Received received = Receive(rank, exchange, kPartSizes, codec_, floats);
    size_t next = 0;
    for (size_t i = 0; i < mine.size(); ++i)
      if (FloatsOf(mine[i], rank) > 0)
        parts[i][rank] = rank == link_.rank() ? own[mine[i]].bytes : received.frame(next++);
  }
  std::vector<Summed> sums;
  for (size_t i = 0; i < mine.size(); ++i) sums.push_back(AddUpSlice(mine[i], parts[i]));
  return sums;
}

void RankSums::AddUpOwn(int64_t exchange, std::span<const int> slices,
                        std::span<const EncodedFloats> own, const Take& take) {
  const std::vector<Summed> sums = SumsOf(exchange, slices, own);
  for (int to = 0; to < link_.size(); ++to) {
    std::vector<Frame> all;
    for (const Summed& one : sums)
      if (to != link_.rank() && routes_[one.slice].takes[to]) all.push_back(one.encoded);
    Send(to, exchange, kSumSizes, codec_of_sums_, all);
  }
  for (const Summed& one : sums)
    if (takes(one.slice)) take(one.slice, singa::FloatsOf(one.floats));
}

void RankSums::TakeOthers(int64_t exchange, std::span<const int> slices, const Take& take) {
  for (int from = 0; from < link_.size(); ++from)
    if (from != link_.rank()) TakeSums(from, exchange, slices, take);
}

// Takes the sums of the slices that rank `from` owns.
void RankSums::TakeSums(int from, int64_t exchange, std::span<const int> slices, const Take& take) {
  const std::vector<int> theirs =
      SlicesOf(slices, [&](int one) { return owner(one) == from && takes(one); });
  std::vector<int64_t> floats;
  floats.reserve(theirs.size());
  for (const int s : theirs) floats.push_back(table_[s].size);
  const Received received = Receive(from, exchange, kSumSizes, codec_of_sums_, floats);
  for (size_t i = 0; i < theirs.size(); ++i) {
    Frame sum;
    take(theirs[i], Decoded(codec_of_sums_, received.frame(i), floats[i], &sum));
  }
}

}  // namespace singa
