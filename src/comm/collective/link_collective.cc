#include "comm/collective/link_collective.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace singa {
namespace {

// Returns the number of chunks. An empty operation is one chunk, too.
int64_t ChunksOf(int64_t count, int64_t most) {
  return std::max<int64_t>(1, (count + most - 1) / most);
}

}  // namespace

LinkCollective::LinkCollective(RankLink* link, std::vector<std::vector<SumNode>> nodes)
    : link_(*link), nodes_(std::move(nodes)), root_{0, nodes_.back().back().last} {
  CHECK_EQ(nodes_.size(), static_cast<size_t>(size()));
  for (const auto& of_rank : nodes_) most_nodes_ = std::max(most_nodes_, of_rank.size());
}

Collective::Operation LinkCollective::Start(const Request& request) {
  if (request.kind == Kind::kSumDoubles || request.kind == Kind::kSumFloats)
    CHECK_EQ(request.in.size(), request.out.size() * nodes_[rank()].size());
  Started& place = started_[next_ % kMostStarted];
  CHECK(next_ < kMostStarted || place.done) << "operations that nobody waits for";
  place = {request, ReserveTags(request)};
  SendOwn(place);
  return next_++;
}

std::vector<std::vector<SumNode>> LinkCollective::OneNodeEach(int ranks) {
  std::vector<std::vector<SumNode>> nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back({{rank, rank + 1}});
  return nodes;
}

// Returns the most bytes of a rank's numbers in the sum.
int64_t LinkCollective::BytesOf(const Request& request) const {
  return std::ssize(request.out) * static_cast<int64_t>(most_nodes_);
}

bool LinkCollective::GoesToAll(const Request& request) const {
  return size() <= kMostToAll && BytesOf(request) * size() <= kLeastBytes;
}

// A large sum has enough chunks for all that may be in flight.
template <typename T>
int64_t LinkCollective::MostOf(const Request& request) const {
  const int64_t bytes =
      std::clamp(BytesOf(request) / (kAhead * size()), kLeastBytes, RankLink::kMostBytes);
  return bytes / static_cast<int64_t>(sizeof(T) * most_nodes_);
}

template <typename T>
int64_t LinkCollective::ChunksOfSum(const Request& request) const {
  return ChunksOf(std::ssize(request.out) / static_cast<int64_t>(sizeof(T)), MostOf<T>(request));
}

// Takes the tags of the operation's messages, and returns the first. Each chunk of a sum uses two
// tags: one for the parts, and one for their sum.
int64_t LinkCollective::ReserveTags(const Request& request) {
  const auto take = [&](int64_t tags) { return std::exchange(next_tag_, next_tag_ + tags); };
  switch (request.kind) {
    case Kind::kSumDoubles:
      return take(2 * ChunksOfSum<double>(request));
    case Kind::kSumFloats:
      return take(2 * ChunksOfSum<float>(request));
    case Kind::kBroadcast:
      return take(RankLink::MessagesOf(std::ssize(request.in)));
  }
  LOG(FATAL) << "no such operation";
}

// Sends what others need of this rank, but not more of a sum than its first chunks.
void LinkCollective::SendOwn(const Started& one) {
  switch (one.kind) {
    case Kind::kSumDoubles:
      return SendParts<double>(one, 0);
    case Kind::kSumFloats:
      return SendParts<float>(one, 0);
    case Kind::kBroadcast:
      if (one.root == rank()) SendToAll(one.tag, one.in);
      return;
  }
}

// Returns the numbers of one chunk for each of this rank's nodes, one node after the other.
template <typename T>
std::vector<T> LinkCollective::PartsOf(const Started& one, int64_t chunk) const {
  const int64_t most = MostOf<T>(one), begin = chunk * most;
  const auto count = static_cast<int64_t>(one.out.size() / sizeof(T));
  const int64_t n = std::min(most, count - begin);
  std::vector<T> parts;
  for (size_t node = 0; node < nodes_[rank()].size(); ++node) {
    const T* const at =
        reinterpret_cast<const T*>(one.in.data()) + static_cast<int64_t>(node) * count + begin;
    parts.insert(parts.end(), at, at + n);
  }
  return parts;
}

// Sends the parts of chunks [first, first + kAhead * size()) that other ranks add up.
template <typename T>
void LinkCollective::SendParts(const Started& one, int64_t first) {
  if (GoesToAll(one)) {
    const std::vector<T> parts = PartsOf<T>(one, 0);
    return SendToAll(one.tag, std::as_bytes(std::span(parts)));
  }
  const int64_t last = std::min(ChunksOfSum<T>(one), first + kAhead * size());
  for (int64_t chunk = first; chunk < last; ++chunk) {
    const auto root = static_cast<int>(chunk % size());
    if (root == rank()) continue;
    const std::vector<T> parts = PartsOf<T>(one, chunk);
    link_.Send(root, one.tag + 2 * chunk, std::as_bytes(std::span(parts)));
  }
}

template <typename T>
void LinkCollective::CompleteSum(const Started& one) {
  const int64_t most = MostOf<T>(one), chunks = ChunksOfSum<T>(one);
  const std::span all(reinterpret_cast<T*>(one.out.data()), one.out.size() / sizeof(T));
  if (GoesToAll(one)) return AddUpParts(one, 0, all);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (chunk > 0 && chunk % (kAhead * size()) == 0) SendParts<T>(one, chunk);
    const int64_t begin = chunk * most;
    const std::span<T> sum =
        all.subspan(begin, static_cast<size_t>(std::min(most, std::ssize(all) - begin)));
    const auto root = static_cast<int>(chunk % size());
    if (root == rank()) {
      AddUpParts(one, chunk, sum);
      SendToAll(one.tag + 2 * chunk + 1, std::as_bytes(sum));
    } else {
      link_.Receive(root, one.tag + 2 * chunk + 1, std::as_writable_bytes(sum));
    }
  }
}

// Replaces `sum` by the sum of all ranks' parts of the chunk.
template <typename T>
void LinkCollective::AddUpParts(const Started& one, int64_t chunk, std::span<T> sum) {
  std::vector<std::vector<T>> parts(size());
  std::vector<SumNode> nodes;
  std::vector<const T*> sums;
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == this->rank()) {
      parts[rank] = PartsOf<T>(one, chunk);
    } else {
      parts[rank].resize(nodes_[rank].size() * sum.size());
      link_.Receive(rank, one.tag + 2 * chunk, std::as_writable_bytes(std::span(parts[rank])));
    }
    for (size_t node = 0; node < nodes_[rank].size(); ++node) {
      nodes.push_back(nodes_[rank][node]);
      sums.push_back(parts[rank].data() + node * sum.size());
    }
  }
  AddUp<T>(root_, nodes, sums, std::ssize(sum), sum.data());
}

void LinkCollective::SendToAll(int64_t tag, std::span<const std::byte> bytes) {
  for (int rank = 0; rank < size(); ++rank)
    if (rank != this->rank()) link_.SendAll(rank, tag, bytes);
}

// The ranks complete operations in one order.
void LinkCollective::Await(Operation operation) {
  for (Operation i = std::max<Operation>(0, next_ - kMostStarted); i <= operation; ++i)
    Complete(&started_[i % kMostStarted]);
}

void LinkCollective::Complete(Started* one) {
  if (one->done) return;
  switch (one->kind) {
    case Kind::kSumDoubles:
      CompleteSum<double>(*one);
      break;
    case Kind::kSumFloats:
      CompleteSum<float>(*one);
      break;
    case Kind::kBroadcast:
      if (one->root != rank()) link_.ReceiveAll(one->root, one->tag, one->out);
      break;
  }
  one->done = true;
}

// Rank i % size() adds up piece i. A rank is at most kAhead pieces of each rank ahead of another.
void LinkCollective::ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                                   std::span<float>) {
  CHECK_EQ(most_nodes_, 1u) << "a rank computes the parts of one worker";
  int64_t messages = 1;  // most messages of a piece
  for (int64_t piece = 0; piece < pieces; ++piece)
    messages = std::max(messages, RankLink::MessagesOf(work.floats(piece) * 4));
  const int64_t first_tag = std::exchange(next_tag_, next_tag_ + pieces * messages);
  const auto tag_of = [=](int64_t piece) { return first_tag + piece * messages; };
  const int64_t run = kAhead * size();
  std::vector<std::vector<float>> own(kAhead);
  for (int64_t first = 0; first < pieces; first += run) {
    const int64_t last = std::min(pieces, first + run);
    for (int64_t piece = first; piece < last; ++piece) {
      std::vector<float>& part = own[(piece - first) / size()];
      const auto root = static_cast<int>(piece % size());
      std::vector<float> of_others;
      std::vector<float>& to = root == rank() ? part : of_others;
      to.resize(work.floats(piece));
      work.Produce(ctx, piece, to.data());
      if (root != rank()) link_.SendAll(root, tag_of(piece), std::as_bytes(std::span(to)));
    }
    for (int64_t piece = first; piece < last; ++piece)
      if (piece % size() == rank())
        AddUpPiece(ctx, piece, tag_of(piece), work, &own[(piece - first) / size()]);
  }
}

void LinkCollective::AddUpPiece(Context& ctx, int64_t piece, int64_t tag, const PieceWork& work,
                                std::vector<float>* own) {
  std::vector<std::vector<float>> parts(size());
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == this->rank()) continue;
    parts[rank].resize(own->size());
    link_.ReceiveAll(rank, tag, std::as_writable_bytes(std::span(parts[rank])));
  }
  parts[this->rank()].swap(*own);
  std::vector<float> all(parts[this->rank()].size());
  AddUpWorkers(
      root_, [&](int rank) -> const float* { return parts[rank].data(); }, std::ssize(all),
      all.data());
  float* const sum = all.data();
  work.Consume(ctx, piece, {&sum, 1});
}

void LinkCollective::AllReduceOfRanks(std::span<double> values) {
  std::vector<double> parts(nodes_[rank()].size() * values.size());
  std::ranges::copy(values, parts.begin());  // the parts of the rank's other nodes are 0
  Await(StartAllReduce(parts, values));
}

}  // namespace singa
