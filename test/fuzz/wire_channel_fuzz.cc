// Runs two processes with a channel each. The input says what happens: sending, packets that arrive
// late, again, changed or made up, restarts. Each message must arrive at most once, in order, from
// the process that it names. Once packets arrive again, the channels must recover.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "frames.h"
#include "support/comm/link_end.h"

namespace singa {
namespace {

constexpr size_t kKept = 256;  // packets that may be delivered later or again

class World {
 public:
  World() {
    options_.window_messages = 4;
    options_.window_bytes = 200;
    Restart(0);
    Restart(1);
  }

  // Does one event. The highest bit is the rank of its process.
  void Do(uint8_t what, FrameReader* in) {
    const int rank = what >> 7;
    switch (what & 0x7f) {
      case 0:
        return Send(rank);
      case 1:
        return Deliver(Kept(in->Byte()), nullptr);
      case 2:
        return Deliver(Kept(in->Byte()), in);
      case 3:
        return Forge(Kept(in->Byte()), in);
      case 4:
        return Invent(rank, in);
      case 5:
        return Wait(in->Byte() * kSimMillisecond);
      case 6:
        return Restart(rank);
      case 7:
        return End(rank).channel.OnConnected(1 - rank);
      case 8:
        return Talk(2);
      case 9:
        for (int seconds = 0; seconds < 70; ++seconds) Wait(kSimSecond);
        return;
      case 10:
        return End(rank).channel.Send(rank, Numbered(0));
      case 11:
        End(rank).open = !End(rank).open;
    }
  }

  // Lets packets through, and expects that new messages arrive, whatever has happened.
  void Finish() {
    for (const int rank : {0, 1}) {
      End(rank).open = true;
      if (End(rank).channel.counters().given_up > 0) Restart(rank);
    }
    for (int round = 0; round < 3; ++round) {
      Send(0);
      Send(1);
      Settle();
    }
    for (const int rank : {0, 1}) {
      const uint64_t incarnation = End(rank).self.incarnation;
      if (!End(rank).channel.Quiet() || arrived_[incarnation] != sent_[incarnation]) std::abort();
    }
  }

 private:
  struct Sent {
    int from = 0;
    Packet packet;
  };

  LinkEnd& End(int rank) { return *ends_[rank]; }

  void Restart(int rank) {
    ends_[rank] = std::make_unique<LinkEnd>(rank, ++incarnations_, &clock_, options_);
  }

  // Sends a message with the next number of its process. The payload names the process.
  void Send(int rank) {
    const uint64_t incarnation = End(rank).self.incarnation;
    if (End(rank).channel.Queued(1 - rank) > 20) return;
    End(rank).channel.Send(1 - rank, Numbered(++sent_[incarnation], std::to_string(incarnation)));
  }

  // Does all work that is due at a process, and puts its packets under way. Returns the time of the
  // next work.
  int64_t Tend(int rank) {
    const int64_t due = End(rank).channel.OnTime();
    for (auto& [to, packet] : std::exchange(End(rank).out, {})) {
      if (under_way_.size() >= kKept) under_way_.pop_front();
      under_way_.push_back({rank, std::move(packet)});
    }
    for (const LinkEvent& event : std::exchange(End(rank).events, {})) {
      if (event.what == LinkEvent::kMessage && event.rank != rank) Judge(rank, event);
    }
    End(rank).all.clear();
    return due;
  }
  void Judge(int rank, const LinkEvent& event) {
    const uint64_t from = std::stoull(event.text);
    const auto [last, first] = last_.try_emplace({from, End(rank).self.incarnation}, event.step);
    if (!first && event.step != ++last->second) std::abort();
    if (event.step <= arrived_[from] || event.step > sent_[from]) std::abort();
    arrived_[from] = event.step;
  }

  const Sent* Kept(uint8_t index) {
    Tend(0);
    Tend(1);
    return under_way_.empty() ? nullptr : &under_way_[index % under_way_.size()];
  }
  // Delivers a packet as it is, or with one bit changed.
  void Deliver(const Sent* sent, FrameReader* change) {
    if (sent == nullptr) return;
    const auto [from, packet] = *sent;
    Packet changed = packet;
    if (change != nullptr) {
      Frame& frame = changed[change->Byte() % changed.size()];
      std::string bytes(static_cast<const char*>(frame.data()), frame.size());
      bytes[change->Byte() % bytes.size()] ^= static_cast<char>(1 << change->Byte() % 8);
      frame = Frame::Copy(bytes.data(), bytes.size());
    }
    End(1 - from).channel.OnPacket(from, changed);
    Tend(1 - from);
  }
  // Delivers a packet with fields from the input. It claims no existing process, and has no answer.
  void Forge(const Sent* sent, FrameReader* in) {
    if (sent == nullptr) return;
    const int from = sent->from;
    DecodedPacket packet = DecodePacket(sent->packet, {});
    PacketHeader changes;
    const Frame fields = in->Next();
    if (changes.ParsePartialFromArray(fields.data(), static_cast<int>(fields.size())))
      packet.header.MergeFrom(changes);
    packet.header.clear_answer();
    if (packet.header.incarnation() <= incarnations_)
      packet.header.set_incarnation(incarnations_ + 1'000'000);
    End(1 - from).channel.OnPacket(from, EncodePacket(packet.header, packet.payload));
    Tend(1 - from);
  }
  void Invent(int to, FrameReader* in) {
    Packet packet;
    for (int frames = in->Byte() % 4; frames > 0; --frames) packet.push_back(in->Next());
    End(to).channel.OnPacket(static_cast<int8_t>(in->Byte()), packet);
    Tend(to);
  }

  void Wait(int64_t time) {
    clock_.now += time;
    Tend(0);
    Tend(1);
  }
  // Delivers all packets that are sent from now on.
  void Talk(int rounds) {
    for (; rounds > 0; --rounds) {
      Wait(10 * kSimMillisecond);
      for (const Sent& sent : std::exchange(under_way_, {})) Deliver(&sent, nullptr);
    }
  }

  // Runs until nothing is due any more. A few thousand rounds are more than enough.
  void Settle() {
    for (int round = 0; round < 3000; ++round) {
      const int64_t due = std::min(Tend(0), Tend(1));
      if (under_way_.empty() && due == ReliableChannel::kNever) return;
      if (under_way_.empty()) clock_.now = std::max(clock_.now, due);
      for (const Sent& sent : std::exchange(under_way_, {})) Deliver(&sent, nullptr);
    }
    std::abort();
  }

  ChannelOptions options_;
  SimClock clock_;
  uint64_t incarnations_ = 0;
  std::unique_ptr<LinkEnd> ends_[2];
  std::deque<Sent> under_way_;
  std::map<uint64_t, int64_t> sent_, arrived_;             // by the sender's incarnation
  std::map<std::pair<uint64_t, uint64_t>, int64_t> last_;  // by sender and receiver
};

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  singa::FrameReader in(data, size);
  singa::World world;
  for (int events = 0; !in.empty() && events < 300; ++events) world.Do(in.Byte(), &in);
  world.Finish();
  return 0;
}
