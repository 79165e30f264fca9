// SimRoles: one process of a simulated job: the production ReliableChannel, Servers and Clients,
// with simple workers. Each role handles its messages some time after they came, as a thread with a
// queue does.
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
#include "support/cluster/sim_job.h"
#include "support/sim_channel.h"

namespace singa {

// The model after `step` steps, as a checkpoint has it.
struct SimSnapshot {
  int64_t step = 0;
  std::vector<SliceState> slices;  // empty: first values
  // What each encoder, by worker group and process, keeps of each slice.
  std::map<std::pair<int, int>, std::vector<std::vector<float>>> rests = {};
};

// What all processes of a run know.
struct SimRun {
  const SimJob& job;
  SimSchedule* random;
  ChannelOptions channel = {};
  std::string job_id = std::string(kJobIdBytes, 'a');  // of this start
  SimSnapshot snapshot = {};                           // that processes begin with
  int64_t granted = 0;    // the steps before it may be taken by processes that begin
  int64_t handled = 0;    // messages, by roles
  bool replaces = false;  // a process that begins takes the place of one that was lost
  // What a role gets in place of a message; null: that message.
  std::function<std::vector<Message>(Message)> fate = nullptr;
  const Codec* codec = &Identity();  // of gradients
};

class SimRoles final : public SimChannelProcess, private Outbox, private ServerEvents {
 public:
  SimRoles(const SimStart& start, SimRun* run);

  int64_t OnTime() override;

  // Whether all first values have come.
  bool Ready() const;
  // Steps before `step` may be taken.
  void Grant(int64_t step) { granted_ = step; }
  // Whether all workers have done the steps before `step`, and have the values after them.
  bool Done(int64_t step) const;
  // Each server begins an exchange, the `number`th of the run.
  void Exchange(int number);
  int exchange() const { return exchange_; }  // the last that the above has begun
  bool exchanging() const;
  // The client of worker group 0 asks for the model.
  void Gather();
  // True once it has come; then `slices` are it.
  bool Gathered(std::vector<SliceState>* slices);

  // Adds what the encoders here keep.
  void AddRests(SimSnapshot* snapshot) const;
  // The servers' values are put into their places in `values`.
  void ValuesOf(int server_group, std::vector<float>* values) const;
  // The params' memory of each worker group that has a part here.
  std::vector<std::vector<float>> Memories() const;
  int64_t refused() const;
  // What roles wait for, one a line.
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
  void MakeEncoder(Worker* worker);
  EncodedFloats Encoded(Worker* worker, int slice);
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
