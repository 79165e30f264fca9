#include "comm/transport/zmq_transport.h"

#include <glog/logging.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file/file_limit.h"
#include "base/file/sha256.h"
#include "base/system/library_end.h"
#include "base/thread/thread.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kBatch = 64;                   // packets of one socket before the next one's turn
constexpr int64_t kLongestWait = 3'600'000;  // ms
constexpr int64_t kFilesPerPeer = 6, kOtherFiles = 64;
constexpr int64_t kFewestStrangers = 16;

// Throws Error if too few files may be opened: ZeroMQ would end the process for lack of them.
// Returns how many connections of strangers leave enough files for all else.
int CheckFiles(int processes, int most_strangers) {
  const int64_t limit = RaiseFileLimit();
  const int64_t needed = OpenFiles() + kOtherFiles + processes * kFilesPerPeer + kFewestStrangers;
  if (limit < needed)
    throw Error(kExitCantCreate, StrCat("a process of a job of ", processes, " needs ", needed,
                                        " open files, and its limit (RLIMIT_NOFILE) is ", limit,
                                        "; raise it: ulimit -n ", needed));
  // All peers may come at once, and are strangers at first.
  const int64_t most = std::max<int64_t>(most_strangers, 2 * processes);
  return static_cast<int>(std::min(most, kFewestStrangers + (limit - needed) / 2));
}

void CheckOptions(const ZmqOptions& options) {
  CHECK(options.rank >= 0 && options.rank < options.processes) << options.rank;
  CHECK_LE(options.processes, kMostProcesses);
  const JobSecrets& secrets = options.secrets;
  if (secrets.token.empty()) throw Error(kExitNoPermission, "the job's token is missing");
  if (static_cast<int>(secrets.keys.size()) != options.processes)
    throw Error(kExitNoPermission, StrCat("there are keys for ", secrets.keys.size(),
                                          " processes, and the job has ", options.processes));
  if (secrets.keys[options.rank].secret_key.empty())
    throw Error(kExitNoPermission, StrCat("the secret key of process ", options.rank,
                                          " is missing: its file is for another process"));
  CHECK(zmq_has("curve")) << "this ZeroMQ was built without CURVE";
}

Descriptor MakeEventDescriptor() {
  Descriptor made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (made.get() < 0) throw CannotMake("an eventfd", errno);
  return made;
}

}  // namespace

ZmqTransport::ZmqTransport(ZmqOptions options, const Clock* clock)
    : options_(std::move(options)),
      clock_(clock),
      wake_(MakeEventDescriptor()),
      context_(MakeContext(options_.io_threads, 16 + 4 * options_.processes)) {
  CheckOptions(options_);
  options_.most_strangers = CheckFiles(options_.processes, options_.most_strangers);
  CheckThreads(options_.io_threads + 1);
  const StartsLibraryThreads starts("ZeroMQ");
  router_ = std::make_unique<ZmqRouter>(&context_, clock_, &options_, &counts_);
  const std::string incarnation = RandomHex(8);
  for (int peer = 0; peer < options_.rank; ++peer)
    dealers_.push_back(
        std::make_unique<ZmqDealer>(&context_, clock_, &options_, incarnation, peer, &counts_));
}

ZmqTransport::~ZmqTransport() = default;

void ZmqTransport::Connect(int rank, const Endpoint& endpoint) {
  CHECK(rank >= 0 && rank < options_.processes) << rank;
  if (rank < options_.rank) dealers_[rank]->Connect(Resolve(endpoint));
}

bool ZmqTransport::connected(int rank) const {
  if (rank == options_.rank) return false;
  return rank < options_.rank ? dealers_[rank]->connected() : router_->connected(rank);
}

bool ZmqTransport::Send(int rank, const Packet& packet) {
  CHECK(rank >= 0 && rank < options_.processes && rank != options_.rank) << rank;
  CHECK(!packet.empty() && !IsGreeting(packet)) << "a packet that says nothing";
  return rank < options_.rank ? dealers_[rank]->Send(packet) : router_->Send(rank, packet);
}

void ZmqTransport::Wake() {
  const uint64_t one = 1;
  const ssize_t written = write(wake_.get(), &one, sizeof(one));
  CHECK(written == sizeof(one) || errno == EAGAIN) << std::strerror(errno);
}

bool ZmqTransport::Wait(int64_t until) {
  std::vector<zmq_pollitem_t> items = {{nullptr, wake_.get(), ZMQ_POLLIN, 0}};
  const auto add = [&](zmq::socket_t* socket) {
    if (socket) items.push_back({socket->handle(), 0, ZMQ_POLLIN, 0});
  };
  add(router_->socket());
  add(router_->monitor());
  add(router_->gate());
  for (const auto& dealer : dealers_) {
    add(dealer->socket());
    add(dealer->monitor());
    until = std::min(until, dealer->next_check());
  }
  const int64_t now = clock_->Now();
  const int64_t ms = until <= now ? 0 : (until - now - 1) / kMillisecond + 1;
  const int ready = zmq_poll(items.data(), static_cast<int>(items.size()),
                             static_cast<long>(std::min(ms, kLongestWait)));
  CHECK(ready >= 0 || errno == EINTR) << zmq_strerror(errno);
  if (ready <= 0 || items[0].revents == 0) return false;
  uint64_t count = 0;
  return read(wake_.get(), &count, sizeof(count)) == sizeof(count);
}

int ZmqTransport::Receive(TransportEvents* events) {
  router_->Check();
  int count = router_->Receive(kBatch, events);
  for (const auto& dealer : dealers_) {
    dealer->Check();
    count += dealer->Receive(kBatch, events);
  }
  return count;
}

void ZmqTransport::Poll(int64_t until, TransportEvents* events) {
  while (true) {
    const bool woken = Wait(until);
    const int count = Receive(events);
    if (woken || count > 0 || clock_->Now() >= until) return;
  }
}

}  // namespace singa
