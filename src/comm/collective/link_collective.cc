#include "comm/collective/link_collective.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace singa {
namespace {

// The first tag of messages between two ranks; collective operations have lower ones.
constexpr int64_t kMessageTags = int64_t{1} << 62;

// Returns the number of chunks. An empty operation is one chunk, too.
int64_t ChunksOf(int64_t count, int64_t most) {
  return std::max<int64_t>(1, (count + most - 1) / most);
}

// Calls work(chunk, begin, size) for each message that `bytes` bytes take.
template <typename Work>
void ForMessages(int64_t bytes, const Work& work) {
  const int64_t messages = ChunksOf(bytes, RankLink::kMostBytes);
  for (int64_t i = 0; i < messages; ++i) {
    const int64_t begin = i * RankLink::kMostBytes;
    work(i, static_cast<size_t>(begin),
         static_cast<size_t>(std::min(RankLink::kMostBytes, bytes - begin)));
  }
}

}  // namespace

LinkCollective::LinkCollective(RankLink* link, std::vector<std::vector<SumNode>> nodes)
    : link_(*link),
      nodes_(std::move(nodes)),
      root_{0, nodes_.back().back().last},
      sent_(nodes_.size()),
      received_(nodes_.size()) {
  CHECK_EQ(nodes_.size(), static_cast<size_t>(size()));
  for (const auto& of_rank : nodes_) most_nodes_ = std::max(most_nodes_, of_rank.size());
}

Collective::Operation LinkCollective::Start(Started one, int64_t tags) {
  CHECK_EQ(one.peer, std::clamp(one.peer, 0, size() - 1));
  Started& place = started_[next_ % kMostStarted];
  CHECK(next_ < kMostStarted || place.done) << "operations that nobody waits for";
  if (one.kind != Kind::kSend && one.kind != Kind::kReceive) {
    one.tag = next_tag_;
    next_tag_ += tags;
  }
  place = one;
  return next_++;
}

template <typename T>
int64_t LinkCollective::MostOf() const {
  return kChunkBytes / static_cast<int64_t>(sizeof(T) * most_nodes_);
}

// Starts a sum. Each chunk uses two tags: one for the parts, and one for their sum.
template <typename T>
Collective::Operation LinkCollective::StartSum(Kind kind, std::span<const T> parts,
                                               std::span<T> sum) {
  CHECK_EQ(parts.size(), sum.size() * nodes_[rank()].size());
  const int64_t chunks = ChunksOf(std::ssize(sum), MostOf<T>());
  const Operation operation = Start({.kind = kind,
                                     .in = reinterpret_cast<const std::byte*>(parts.data()),
                                     .out = reinterpret_cast<std::byte*>(sum.data()),
                                     .count = std::ssize(sum)},
                                    2 * chunks);
  SendParts<T>(started_[operation % kMostStarted], 0);
  return operation;
}

Collective::Operation LinkCollective::StartAllReduce(std::span<const double> parts,
                                                     std::span<double> sum) {
  return StartSum(Kind::kSumDoubles, parts, sum);
}

Collective::Operation LinkCollective::StartAllReduce(std::span<const float> parts,
                                                     std::span<float> sum) {
  return StartSum(Kind::kSumFloats, parts, sum);
}

// Returns the numbers of one chunk for each of this rank's nodes, one node after the other.
template <typename T>
std::vector<T> LinkCollective::PartsOf(const Started& one, int64_t chunk) const {
  const int64_t most = MostOf<T>(), begin = chunk * most;
  const int64_t n = std::min(most, one.count - begin);
  std::vector<T> parts;
  for (size_t node = 0; node < nodes_[rank()].size(); ++node) {
    const T* const at =
        reinterpret_cast<const T*>(one.in) + static_cast<int64_t>(node) * one.count + begin;
    parts.insert(parts.end(), at, at + n);
  }
  return parts;
}

// Sends the parts of chunks [first, first + kAhead * size()) that other ranks add up.
template <typename T>
void LinkCollective::SendParts(const Started& one, int64_t first) {
  const int64_t chunks = ChunksOf(one.count, MostOf<T>());
  const int64_t last = std::min(chunks, first + kAhead * size());
  for (int64_t chunk = first; chunk < last; ++chunk) {
    const auto root = static_cast<int>(chunk % size());
    if (root == rank()) continue;
    const std::vector<T> parts = PartsOf<T>(one, chunk);
    link_.Send(root, one.tag + 2 * chunk, std::as_bytes(std::span(parts)));
  }
}

template <typename T>
void LinkCollective::CompleteSum(const Started& one) {
  const int64_t most = MostOf<T>(), chunks = ChunksOf(one.count, most);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    if (chunk > 0 && chunk % (kAhead * size()) == 0) SendParts<T>(one, chunk);
    const int64_t begin = chunk * most;
    const std::span sum(reinterpret_cast<T*>(one.out) + begin,
                        static_cast<size_t>(std::min(most, one.count - begin)));
    const auto root = static_cast<int>(chunk % size());
    if (root == rank())
      AddUpChunk(one, chunk, sum);
    else
      link_.Receive(root, one.tag + 2 * chunk + 1, std::as_writable_bytes(sum));
  }
}

template <typename T>
void LinkCollective::AddUpChunk(const Started& one, int64_t chunk, std::span<T> sum) {
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
  SendToAll(one.tag + 2 * chunk + 1, std::as_bytes(sum));
}

void LinkCollective::SendToAll(int64_t tag, std::span<const std::byte> bytes) {
  for (int rank = 0; rank < size(); ++rank)
    if (rank != this->rank()) Send(rank, tag, bytes);
}

void LinkCollective::Send(int to, int64_t tag, std::span<const std::byte> bytes) {
  ForMessages(std::ssize(bytes), [&](int64_t i, size_t begin, size_t size) {
    link_.Send(to, tag + i, bytes.subspan(begin, size));
  });
}

void LinkCollective::Receive(int from, int64_t tag, std::span<std::byte> bytes) {
  ForMessages(std::ssize(bytes), [&](int64_t i, size_t begin, size_t size) {
    link_.Receive(from, tag + i, bytes.subspan(begin, size));
  });
}

Collective::Operation LinkCollective::StartAllGather(std::span<const std::byte> own,
                                                     std::span<std::byte> all) {
  CHECK_EQ(all.size(), own.size() * static_cast<size_t>(size()));
  std::ranges::copy(own, all.begin() + static_cast<int64_t>(own.size()) * rank());
  const Operation operation =
      Start({.kind = Kind::kAllGather, .out = all.data(), .count = std::ssize(own)},
            ChunksOf(std::ssize(own), RankLink::kMostBytes));
  SendToAll(started_[operation % kMostStarted].tag, own);
  return operation;
}

void LinkCollective::CompleteGather(const Started& one) {
  for (int rank = 0; rank < size(); ++rank)
    if (rank != this->rank())
      Receive(rank, one.tag, {one.out + rank * one.count, static_cast<size_t>(one.count)});
}

Collective::Operation LinkCollective::StartBroadcast(int root, std::span<std::byte> bytes) {
  const Operation operation = Start(
      {.kind = Kind::kBroadcast, .peer = root, .out = bytes.data(), .count = std::ssize(bytes)},
      ChunksOf(std::ssize(bytes), RankLink::kMostBytes));
  if (root == rank()) SendToAll(started_[operation % kMostStarted].tag, bytes);
  return operation;
}

Collective::Operation LinkCollective::StartSend(int to, std::span<const std::byte> bytes) {
  const Operation operation = Start({.kind = Kind::kSend, .peer = to, .done = true}, 0);
  Send(to, kMessageTags + sent_[to], bytes);
  sent_[to] += ChunksOf(std::ssize(bytes), RankLink::kMostBytes);
  return operation;
}

Collective::Operation LinkCollective::StartReceive(int from, std::span<std::byte> bytes) {
  const int64_t tag = kMessageTags + received_[from];
  received_[from] += ChunksOf(std::ssize(bytes), RankLink::kMostBytes);
  return Start({.kind = Kind::kReceive,
                .peer = from,
                .out = bytes.data(),
                .count = std::ssize(bytes),
                .tag = tag},
               0);
}

void LinkCollective::Await(Operation operation) {
  if (operation < next_ - kMostStarted) return;
  Started* const one = &started_[operation % kMostStarted];
  // The ranks complete collective operations in one order; a message waits for nothing else.
  const bool alone = one->kind == Kind::kReceive || one->kind == Kind::kSend;
  for (Operation i = std::max<Operation>(0, next_ - kMostStarted); !alone && i < operation; ++i) {
    Started* const before = &started_[i % kMostStarted];
    if (before->kind != Kind::kReceive) Complete(before);
  }
  Complete(one);
}

void LinkCollective::Complete(Started* one) {
  if (one->done) return;
  const std::span bytes(one->out, static_cast<size_t>(one->count));
  switch (one->kind) {
    case Kind::kSumDoubles:
      CompleteSum<double>(*one);
      break;
    case Kind::kSumFloats:
      CompleteSum<float>(*one);
      break;
    case Kind::kAllGather:
      CompleteGather(*one);
      break;
    case Kind::kBroadcast:
      if (one->peer != rank()) Receive(one->peer, one->tag, bytes);
      break;
    case Kind::kReceive:
      Receive(one->peer, one->tag, bytes);
      break;
    case Kind::kSend:
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
    messages = std::max(messages, ChunksOf(work.floats(piece) * 4, RankLink::kMostBytes));
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
      if (root != rank()) Send(root, tag_of(piece), std::as_bytes(std::span(to)));
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
    Receive(rank, tag, std::as_writable_bytes(std::span(parts[rank])));
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
