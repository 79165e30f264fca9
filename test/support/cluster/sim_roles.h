// SimRoles is one process of a simulated job. It has the production ReliableChannel, Servers and
// Clients, with simple workers. Each role handles its messages some time after they arrive, as a
// thread with a queue does.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/client/gradient_encoder.h"
#include "cluster/server/server.h"
#include "support/cluster/memory_replica.h"
#include "support/cluster/sim_job.h"
#include "support/sim_channel.h"

namespace singa {

// SimSnapshot is the model after `step` steps, as in a checkpoint.
struct SimSnapshot {
  int64_t step = 0;
  std::vector<SliceState> slices;  // empty: first values
  // Each encoder, by worker group and process, keeps a rest of each slice.
  std::map<std::pair<int, int>, std::vector<std::vector<float>>> rests = {};
};

// SimRun is known to all processes of a run.
struct SimRun {
  const SimJob& job;
  SimSchedule* random;
  ChannelOptions channel = {};
  std::string job_id = std::string(kJobIdBytes, 'a');  // id of this start
  SimSnapshot snapshot = {};                           // processes begin with it
  int64_t granted = 0;    // processes that begin may take the steps before it
  int64_t handled = 0;    // messages, by roles
  bool replaces = false;  // a process that begins takes the place of one that was lost
  // Returns the messages that a role gets in place of a message. Null: the message itself.
  std::function<std::vector<Message>(Message)> fate = nullptr;
  const Codec* codec = &Identity();  // codec of gradients
};

class SimRoles final : public SimChannelProcess, private Outbox, private ServerEvents {
 public:
  SimRoles(const SimStart& start, SimRun* run);

  int64_t OnTime() override;

  // Returns whether all first values have arrived.
  bool Ready() const;
  // Allows the steps before `step`.
  void Grant(int64_t step) { granted_ = step; }
  // Returns whether all workers have done the steps before `step`, and have the values after them.
  bool Done(int64_t step) const;
  // Begins exchange `number` of the run on each server.
  void Exchange(int number);
  int exchange() const { return exchange_; }  // the last one begun here
  bool exchanging() const;
  // Has the client of worker group 0 ask for the model.
  void Gather();
  // Returns whether the model has arrived. If so, puts it into `slices`.
  bool Gathered(std::vector<SliceState>* slices);

  // Adds the rests that the encoders here keep.
  void AddRests(SimSnapshot* snapshot) const;
  // Puts the servers' values into their places in `values`.
  void ValuesOf(int server_group, std::vector<float>* values) const;
  // Returns the params' memory of each worker group that has a part here.
  std::vector<std::vector<float>> Memories() const;
  int64_t refused() const;
  // Returns a line for each role that waits.
  std::string Waiting() const;

 private:
  struct Arrival {
    int64_t due;
    int rank;
    Message message;
  };
  struct Role {
    std::unique_ptr<Server> server;  // or
    std::unique_ptr<Client> client;
    std::deque<Arrival> inbox;
  };
  struct Worker {
    int group = 0;
    std::vector<float> memory;
    std::unique_ptr<MemoryReplica> applies;  // null: servers send values
    Client* client = nullptr;
    std::unique_ptr<GradientEncoder> encoder;
    bool takes_over = false;  // once it has the values
    int64_t step = 0;
    int unpushed = 0;  // slices of this step; 0: it has not begun
    std::vector<std::vector<float>> gradients;
    int64_t due = 0;  // when the next one is there
  };
  using Key = std::tuple<int, uint32_t, uint32_t>;
  static Key KeyOf(const Address& address) {
    return {address.role(), address.group(), address.id()};
  }

  void MakeWorkers();
  void MakeServers();
  void Begin();

  void Post(Message message) override;
  void OnMessage(int rank, Message message) override;
  void Diverged(const std::string& text) override { ADD_FAILURE() << text; }
  bool Handle(Role* role);
  bool Work(Worker* worker);
  void MakeReplica(Worker* worker);
  void MakeEncoder(Worker* worker);
  EncodedFloats Encoded(Worker* worker, int slice);
  // Returns whether each process applies the sums that servers send.
  bool sends_sums() const {
    return job_.topology().worker_groups() == 1 && run_->codec->sends_sums();
  }
  std::vector<float*> ParamsIn(std::vector<float>* memory) const;
  bool AllFresh(const Worker& worker) const;

  SimRun* const run_;
  const SimJob& job_;
  const int rank_;
  const Clock& clock_;
  const bool shares_memory_;
  int64_t granted_;
  int exchange_ = 0;
  bool gathers_ = false;
  std::map<int, Worker> workers_;  // by group
  std::map<Key, Role> roles_;
};

}  // namespace singa
