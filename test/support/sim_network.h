// SimNetwork runs the processes of a job in one thread and in simulated time. Its network loses,
// repeats, delays, reorders and damages packets.
//
//   SimNetwork network(seed, ranks, faults, [&](const SimStart& start) {
//     return std::make_unique<MyProcess>(start);  // often a SimChannelProcess, sim_channel.h
//   });
//   network.StartAll();
//   network.At(2 * kSimSecond, [&] { network.Crash(1); });
//   network.At(3 * kSimSecond, [&] { network.Start(1); });
//   EXPECT_TRUE(network.RunUntil([&] { return all_is_done(); }, 60 * kSimSecond));
#pragma once

#include <glog/logging.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/transport/transport.h"
#include "support/sim_schedule.h"

namespace singa {

// SimFaults has probabilities for each packet, and times in nanoseconds.
struct SimFaults {
  double drop = 0, duplicate = 0;
  double flip = 0;    // one bit of the packet is flipped
  double refuse = 0;  // Transport::Send returns false
  double late = 0;    // later packets overtake it: it arrives up to max_late after its time
  int64_t min_delay = 50'000, max_delay = 500'000, max_late = kSimSecond;
};

// SimCounters counts events of the network. A test that relies on a fault checks here that the
// fault happened.
struct SimCounters {
  int64_t sent = 0, arrived = 0, dropped = 0, duplicated = 0, flipped = 0, refused = 0, late = 0;
};

// SimProcess is the code that runs on one process's stub thread. Only the network calls it.
class SimProcess : public TransportEvents {
 public:
  // Does all work that is due. Returns the time of the next call; INT64_MAX: not before something
  // arrives. The network also calls it at the start and after every event.
  virtual int64_t OnTime() = 0;
};

struct SimStart {
  int rank, ranks;
  uint64_t incarnation;  // random, of this process
  Transport* transport;
  const Clock* clock;
};

class SimNetwork {
 public:
  using Factory = std::function<std::unique_ptr<SimProcess>(const SimStart&)>;

  // Starts no process yet.
  SimNetwork(uint64_t seed, int ranks, const SimFaults& some_faults, Factory factory)
      : faults(some_faults), schedule_(seed), factory_(std::move(factory)) {
    for (int rank = 0; rank < ranks; ++rank)
      nodes_.push_back(std::make_unique<Node>(this, rank, ranks));
  }

  SimFaults faults;  // may be changed while it runs

  int ranks() const { return static_cast<int>(nodes_.size()); }
  const Clock& clock() const { return schedule_.clock; }
  const SimCounters& counters() const { return counters_; }
  // Tests draw other random events of a run from this schedule.
  SimSchedule& schedule() { return schedule_; }
  // Returns null if the process does not run.
  SimProcess* process(int rank) { return nodes_[rank]->process.get(); }
  // Returns the number of packets that will arrive.
  int64_t under_way() const { return under_way_; }

  // Starts a rank's process, made by the factory, with a new incarnation. It is connected to all
  // processes that run.
  void Start(int rank) {
    Node& node = *nodes_[rank];
    CHECK(node.process == nullptr) << rank << " runs";
    node.process = factory_({rank, ranks(), schedule_.Random() | 1, &node.port, &schedule_.clock});
    node.wake = schedule_.clock.now;
    for (int other = 0; other < ranks(); ++other) Announce(rank, other);
  }
  void StartAll() {
    for (int rank = 0; rank < ranks(); ++rank) Start(rank);
  }
  // Ends the process at once. Must not be called from within the process. Packets that it sent stay
  // under way; packets that arrive before the next start are lost.
  void Crash(int rank) {
    Node& node = *nodes_[rank];
    node.process.reset();
    node.paused = false;
    node.waiting.clear();
  }
  // Pauses the process. Packets that arrive meanwhile wait.
  void Pause(int rank) { nodes_[rank]->paused = true; }
  void Resume(int rank) {
    Node& node = *nodes_[rank];
    node.paused = false;
    for (auto& event : std::exchange(node.waiting, {})) At(0, std::move(event));
  }
  // Stops new sends between the two. Packets under way arrive.
  void Disconnect(int a, int b) { nodes_[a]->cut_from[b] = nodes_[b]->cut_from[a] = true; }
  void Connect(int a, int b) {
    nodes_[a]->cut_from[b] = nodes_[b]->cut_from[a] = false;
    Announce(a, b);
  }
  // Loses the packets under way between the two, then connects them.
  void Reset(int a, int b) {
    ++nodes_[a]->resets[b], ++nodes_[b]->resets[a];
    Connect(a, b);
  }

  // Calls `action` at that time, or next if the time is past.
  void At(int64_t time, std::function<void()> action) { schedule_.At(time, std::move(action)); }

  // Calls `what` and then OnTime of the process that runs as `rank`, if any, when it is not paused.
  void Tell(int rank, const std::function<void(SimProcess*)>& what) {
    Node& node = *nodes_[rank];
    if (node.process == nullptr) return;
    if (node.paused) {
      node.waiting.push_back([this, rank, what] { Tell(rank, what); });
      return;
    }
    what(node.process.get());
    Tend(&node);
  }

  // Runs the next event. Returns false if nothing will ever happen again.
  bool Step() {
    int next = -1;
    int64_t wake = INT64_MAX;
    for (int rank = 0; rank < ranks(); ++rank) {
      const Node& node = *nodes_[rank];
      if (node.process == nullptr || node.paused || node.wake >= wake) continue;
      wake = node.wake;
      next = rank;
    }
    if (schedule_.Next() != INT64_MAX && schedule_.Next() <= wake) {
      schedule_.RunNext();
      return true;
    }
    if (next < 0) return false;
    schedule_.AdvanceTo(wake);
    Tend(nodes_[next].get());
    return true;
  }
  // Runs until `done`, or until simulated time `limit`. Returns whether it is done.
  bool RunUntil(const std::function<bool()>& done, int64_t limit) {
    while (!done()) {
      if (clock().Now() >= limit || !Step()) return done();
    }
    return true;
  }
  void RunFor(int64_t time) {
    bool over = false;
    At(clock().Now() + time, [&] { over = true; });
    while (!over) Step();
  }

 private:
  struct Port final : Transport {
    explicit Port(SimNetwork* of, int from) : network(of), rank(from) {}
    bool Send(int to, const Packet& packet) override { return network->Carry(rank, to, packet); }
    void Poll(int64_t, TransportEvents*) override { LOG(FATAL) << "the network calls by itself"; }
    void Wake() override {}
    SimNetwork* network;
    int rank;
  };
  struct Node {
    Node(SimNetwork* network, int rank, int ranks)
        : port(network, rank), last_arrival(ranks), cut_from(ranks), resets(ranks) {}
    Port port;
    std::unique_ptr<SimProcess> process;
    int64_t wake = INT64_MAX;
    bool paused = false;
    std::vector<std::function<void()>> waiting;  // calls that wait until Resume
    std::vector<int64_t> last_arrival;           // of packets sent to each rank
    std::vector<bool> cut_from;
    std::vector<int> resets;  // of the connection to each rank
  };

  void Tend(Node* node) { node->wake = node->process->OnTime(); }

  int64_t Arrival() {
    return clock().Now() + schedule_.Between(faults.min_delay, faults.max_delay);
  }

  void Announce(int a, int b) {
    if (a == b || !process(a) || !process(b) || nodes_[a]->cut_from[b]) return;
    for (const auto& [to, from] : {std::pair(a, b), std::pair(b, a)}) {
      At(Arrival(), [this, to = to, from = from] {
        Tell(to, [from](SimProcess* process) { process->OnConnected(from); });
      });
    }
  }

  bool Carry(int from, int to, const Packet& packet) {
    // A sender notices the end of a process at once or later.
    const bool gone = process(to) == nullptr && schedule_.Happens(0.5);
    if (nodes_[from]->cut_from[to] || gone || schedule_.Happens(faults.refuse)) {
      ++counters_.refused;
      return false;
    }
    ++counters_.sent;
    if (schedule_.Happens(faults.drop)) {
      ++counters_.dropped;
      return true;
    }
    Deliver(from, to, packet);
    if (schedule_.Happens(faults.duplicate)) {
      ++counters_.duplicated;
      Deliver(from, to, packet);
    }
    return true;
  }

  void Deliver(int from, int to, Packet packet) {
    if (schedule_.Happens(faults.flip)) Flip(&packet);
    Node& node = *nodes_[from];
    int64_t time = std::max(Arrival(), node.last_arrival[to]);
    if (schedule_.Happens(faults.late)) {
      ++counters_.late;
      time += schedule_.Between(0, faults.max_late);
    } else {
      node.last_arrival[to] = time;
    }
    ++under_way_;
    At(time, [this, from, to, packet = std::move(packet), resets = node.resets[to]] {
      --under_way_;
      if (nodes_[from]->resets[to] != resets) return;
      ++counters_.arrived;
      Tell(to, [from, packet](SimProcess* process) { process->OnPacket(from, packet); });
    });
  }

  void Flip(Packet* packet) {
    Frame& frame = (*packet)[schedule_.Between(0, packet->size() - 1)];
    if (frame.size() == 0) return;
    std::string bytes(static_cast<const char*>(frame.data()), frame.size());
    bytes[schedule_.Between(0, bytes.size() - 1)] ^=
        static_cast<char>(1 << schedule_.Between(0, 7));
    frame = Frame::Copy(bytes.data(), bytes.size());
    ++counters_.flipped;
  }

  SimSchedule schedule_;
  Factory factory_;
  std::vector<std::unique_ptr<Node>> nodes_;
  int64_t under_way_ = 0;
  SimCounters counters_;
};

}  // namespace singa
