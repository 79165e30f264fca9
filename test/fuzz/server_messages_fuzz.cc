// Sends any messages to a server. It must not crash, must hold no more than each role may have
// under way, and must send well-formed messages. make_server_corpus.py writes the format:
//
//   input := job:u8 (0xFE | rank:u8 size:u16 WireMessage payload:u8)*
//
// 0xFE: Exchange; payload: 1: a frame less, 2: one more, 4: each is a byte too long, 8: of NaN; the
// high bits are the value.
#include <glog/logging.h>
#include <google/protobuf/text_format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "cluster/server/server.h"

namespace singa {
namespace {

const char* const kJobs[] = {
    "cluster { nworkers_per_group: 2 nservers_per_group: 2 }",
    "cluster { nworkers_per_group: 2 nservers_per_group: 2 } updater { clip_norm: 0.5 }",
    "cluster { nworkers_per_group: 2 nservers_per_group: 2 } on_nonfinite: kSkip",
    "cluster { nworker_groups: 2 max_staleness: 1 }",
    "cluster { nworker_groups: 3 nserver_groups: 3 }",
    "cluster { nworker_groups: 3 nserver_groups: 3 group_sync: kRing sync_freq: 2 }",
    "cluster { nworker_groups: 3 nserver_groups: 3 group_sync: kElastic }",
    "cluster { nworker_groups: 3 nserver_groups: 3 group_sync: kOuter }",
    "cluster { nworker_groups: 3 nserver_groups: 3 group_sync: kOuter sync_freq: 2 "
    "outer_fragments: 2 }",
    "cluster { nworker_groups: 3 nserver_groups: 3 group_sync: kOuter sync_freq: 2 "
    "outer_overlap: 1 }",
};
constexpr int64_t kMostHeld = 4096;  // bytes; the job has 10 floats, and at most 4 processes

class Peers final : public Outbox, public ServerEvents, public Clock {
 public:
  void Post(Message message) override {
    size_t frames = 0;
    for (const SlicePart& part : message.head.part()) {
      if (part.elements() == 0) continue;
      if (frames == message.payload.size() || message.payload[frames].size() != 4 * part.elements())
        std::abort();
      ++frames;
    }
    if (frames != message.payload.size() || !message.head.has_to()) std::abort();
  }
  void Diverged(const std::string&) override {}
  int64_t Now() const override { return 0; }
};

struct Input {
  const uint8_t* data;
  size_t size;
  int Byte() { return size == 0 ? 0 : (--size, *data++); }
  std::string Bytes(size_t n) {
    n = std::min(n, size);
    std::string bytes(reinterpret_cast<const char*>(data), n);
    data += n;
    size -= n;
    return bytes;
  }
};

void AddPayload(int how, Message* message) {
  int frames = (how & 2) - (how & 1);
  const float value = how & 8 ? NAN : static_cast<float>(how >> 4);
  std::vector<uint32_t> sizes;
  for (const SlicePart& part : message->head.part())
    if (part.elements() > 0) sizes.push_back(std::min(part.elements(), 64u));
  sizes.resize(std::max<int64_t>(0, std::ssize(sizes) + frames), 2);
  for (const uint32_t size : sizes) {
    const std::vector<float> floats(size + 1, value);
    message->payload.push_back(Frame::Copy(floats.data(), size * 4 + (how & 4 ? 1 : 0)));
  }
}

void Run(Input input) {
  JobProto job;
  google::protobuf::TextFormat::ParseFromString(kJobs[input.Byte() % std::size(kJobs)], &job);
  job.mutable_updater()->set_type(kSGD);
  job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.5f);
  const SliceTable table({{3}, {2}, {5}});
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}, {"c", "l", {}}};
  const Topology topology(job.cluster());
  Peers peers;
  const std::vector<int64_t> first_steps(topology.worker_groups());
  Server server({job, topology, table, params, peers, {0, 0}, first_steps}, &peers, &peers);
  while (input.size > 0) {
    const int rank = input.Byte();
    if (rank == 0xFE) {
      server.Exchange();
    } else {
      const int low = input.Byte();
      Message message;
      if (!message.head.ParseFromString(input.Bytes(low + 256 * input.Byte()))) continue;
      AddPayload(input.Byte(), &message);
      server.OnMessage(rank, message);
    }
    if (server.held_bytes() > kMostHeld) std::abort();
    server.Waiting();
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  FLAGS_minloglevel = google::ERROR;  // steps are skipped
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  singa::Run({data, size});
  return 0;
}
