// Measures messages of a job against plain ZeroMQ sockets of the same settings, in turns. They go
// one way between two threads over loopback. Argument: bytes of payload. Ours are numbered,
// acknowledged and have a checksum (ReliableChannel over ZmqTransport); the plain ones are frames.
// Shows MB/s and messages/s of both, and ours / plain (medians of the rounds).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "comm/transport/reliable_channel.h"
#include "comm/transport/zmq_transport.h"

namespace singa {
namespace {

const Clock& RealClock() {
  static const SteadyClock clock;
  return clock;
}

double Seconds(int64_t since) { return static_cast<double>(RealClock().Now() - since) / kSecond; }

SocketSettings Settings(int64_t bytes) {
  SocketSettings settings;
  settings.max_frame_bytes = bytes + 1024;
  return settings;
}

std::shared_ptr<std::vector<char>> Bytes(int64_t bytes) {
  return std::make_shared<std::vector<char>>(bytes, 'x');
}

ZmqOptions OptionsOf(int rank, const JobSecrets& secrets, bool curve, int64_t bytes) {
  ZmqOptions options;
  options.rank = rank;
  options.processes = 2;
  options.secrets = secrets;
  options.security = curve ? Security::kCurve : Security::kAuto;
  options.settings = Settings(bytes);
  return options;
}

ChannelOptions ChannelOptionsOf(int64_t bytes) {
  ChannelOptions options;
  options.limits.payload_bytes = std::max<size_t>(options.limits.payload_bytes, bytes);
  return options;
}

// End is one of the two processes.
class End final : private TransportEvents, private ChannelEvents {
 public:
  End(int rank, const JobSecrets& secrets, bool curve, int64_t bytes)
      : transport_(OptionsOf(rank, secrets, curve, bytes), &RealClock()),
        channel_({secrets.job, rank, 2, static_cast<uint64_t>(rank) + 1}, &transport_, &RealClock(),
                 this, ChannelOptionsOf(bytes)) {}

  ZmqTransport& transport() { return transport_; }
  ReliableChannel& channel() { return channel_; }
  void Turn() {
    const int64_t next = channel_.OnTime();
    transport_.Poll(std::min(next, RealClock().Now() + kSecond / 10), this);
  }

 private:
  void OnPacket(int rank, Packet packet) override { channel_.OnPacket(rank, std::move(packet)); }
  void OnConnected(int rank) override { channel_.OnConnected(rank); }
  void OnMessage(int, Message) override {}
  void OnRestarted(int, uint64_t) override {}
  void OnGivenUp(int, const std::string&) override {}

  ZmqTransport transport_;
  ReliableChannel channel_;
};

class Ours {
 public:
  Ours(bool curve, int64_t bytes)
      : secrets_(JobSecrets::Make(2)),
        receiver_(0, secrets_, curve, bytes),
        sender_(1, secrets_, curve, bytes),
        bytes_(Bytes(bytes)),
        window_(std::min(ChannelOptions().window_messages, ChannelOptions().window_bytes / bytes)),
        thread_([this] {
          while (!stop_) receiver_.Turn();
        }) {
    sender_.transport().Connect(0, receiver_.transport().endpoint());
    Run(1);  // the connection stands
  }
  ~Ours() {
    stop_ = true;
    thread_.join();
  }
  // Sends `count` messages, and waits until all have arrived. Returns the seconds.
  double Run(int64_t count) {
    const int64_t start = RealClock().Now();
    for (int64_t sent = 0; sent < count || sender_.channel().Queued(0) > 0;) {
      for (; sent < count && sender_.channel().Queued(0) <= window_; ++sent) {
        Message message;
        message.head.set_type(WireMessage::kUpdate);
        message.payload = {Frame(bytes_, bytes_->data(), bytes_->size())};
        sender_.channel().Send(0, std::move(message));
      }
      sender_.Turn();
    }
    return Seconds(start);
  }

 private:
  JobSecrets secrets_;
  End receiver_, sender_;
  std::shared_ptr<std::vector<char>> bytes_;
  const int64_t window_;  // messages that the channel has under way
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void Ignore(void*, void*) {}

class Plain {
 public:
  Plain(bool curve, int64_t bytes) : bytes_(Bytes(bytes)) {
    const JobSecrets secrets = JobSecrets::Make(2);
    for (zmq::socket_t* socket : {&receiver_, &sender_}) Apply(Settings(bytes), socket);
    if (curve) {
      SetOption(&receiver_, ZMQ_CURVE_SERVER, 1);
      SetOption(&receiver_, ZMQ_CURVE_SECRETKEY, secrets.keys[0].secret_key);
      SetOption(&sender_, ZMQ_CURVE_SERVERKEY, secrets.keys[0].public_key);
      SetOption(&sender_, ZMQ_CURVE_PUBLICKEY, secrets.keys[1].public_key);
      SetOption(&sender_, ZMQ_CURVE_SECRETKEY, secrets.keys[1].secret_key);
    }
    receiver_.bind("tcp://127.0.0.1:*");
    sender_.connect(receiver_.get(zmq::sockopt::last_endpoint));
    Run(1);  // the connection stands
  }
  double Run(int64_t count) {
    const int64_t start = RealClock().Now();
    std::thread receiver([&] {
      zmq::message_t message;
      for (int64_t i = 0; i < 2 * count; ++i) static_cast<void>(receiver_.recv(message));
    });
    for (int64_t i = 0; i < count; ++i)
      sender_.send(zmq::message_t(bytes_->data(), bytes_->size(), Ignore), zmq::send_flags::none);
    receiver.join();
    return Seconds(start);
  }

 private:
  std::shared_ptr<std::vector<char>> bytes_;
  zmq::context_t receivers_{1}, senders_{1};
  zmq::socket_t receiver_ = MakeSocket(&receivers_, ZMQ_ROUTER);
  zmq::socket_t sender_ = MakeSocket(&senders_, ZMQ_DEALER);
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void OneWay(benchmark::State& state, bool curve) {
  const int64_t bytes = state.range(0);
  const int64_t total = curve ? int64_t{128} << 20 : int64_t{512} << 20;
  const int64_t count = std::clamp(total / bytes, int64_t{64}, int64_t{100'000});
  Ours ours(curve, bytes);
  Plain plain(curve, bytes);
  ours.Run(64);
  std::vector<double> ours_seconds, plain_seconds, ratios;
  for (auto _ : state) {
    plain_seconds.push_back(plain.Run(count));
    ours_seconds.push_back(ours.Run(count));
    ratios.push_back(plain_seconds.back() / ours_seconds.back());
  }
  const auto per_second = [&](const std::vector<double>& seconds) {
    return static_cast<double>(count) / Median(seconds);
  };
  state.counters["ours_msg/s"] = per_second(ours_seconds);
  state.counters["plain_msg/s"] = per_second(plain_seconds);
  state.counters["ours_MB/s"] = per_second(ours_seconds) * static_cast<double>(bytes) * 1e-6;
  state.counters["plain_MB/s"] = per_second(plain_seconds) * static_cast<double>(bytes) * 1e-6;
  state.counters["ours/plain"] = Median(ratios);
}

void Sizes(benchmark::internal::Benchmark* bench) {
  for (int64_t bytes : {4 << 10, 64 << 10, 256 << 10, 512 << 10}) bench->Arg(bytes);
  bench->UseRealTime()->Iterations(7)->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(OneWay, token, false)->Apply(Sizes);
BENCHMARK_CAPTURE(OneWay, curve, true)->Apply(Sizes);

}  // namespace
}  // namespace singa
