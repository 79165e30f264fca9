// ClusterOfRoles is a whole cluster in one thread: clients, servers and simple workers, with a post
// office between them. The post office keeps the order of messages within a pair of processes, and
// serves pairs in any order.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/client.h"
#include "cluster/server/server.h"
#include "singa/base/str_cat.h"

namespace singa {

class HeldClock final : public Clock {
 public:
  int64_t Now() const override { return now; }
  int64_t now = 0;
};

struct SentMessages : Outbox {
  void Post(Message message) override { messages.push_back(std::move(message)); }
  std::vector<Message> messages;
};

// This updater adds gradients up: it subtracts them unscaled from the values.
inline constexpr char kSumUpdater[] = "type: kSGD learning_rate { type: kFixed base_lr: 1 }";
// This is the learning rate of updaters that do more than add gradients up.
inline constexpr char kHalvingRate[] =
    " learning_rate { type: kStep base_lr: 0.1 step_conf { gamma: 0.5 change_freq: 2 } }";

inline JobProto JobOf(const std::string& updater, const std::string& cluster,
                      const std::string& rest = "") {
  JobProto job;
  const std::string text = StrCat("updater { ", updater, " } cluster { ", cluster, " } ", rest);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
  return job;
}

struct Posted {
  int from = 0, to = 0;  // processes
  Message message;
};

// Returns the gradient of process `process` of worker group `group` for `slice` in `step`.
using GradientOf =
    std::function<std::vector<float>(int group, int process, int64_t step, int slice)>;

class ClusterOfRoles : public ServerEvents {
 public:
  // `scales` has one for each param. If it is empty, all are 1.
  ClusterOfRoles(JobProto job, const std::vector<Shape>& shapes, uint32_t seed,
                 const std::vector<ParamScale>& scales = {}, int64_t first_step = 0);
  ClusterOfRoles(const ClusterOfRoles&) = delete;

  // Starts all clients: one client of each server group puts `first`, then all get.
  void Start(const std::vector<float>& first);
  // Trains each worker group `steps` more steps, with messages in any order.
  void Train(int64_t steps, const GradientOf& gradient);
  // Runs two rounds of exchange among the server groups.
  void Equalise();
  // Runs until no message is on its way and no worker can continue.
  void RunUntilQuiet();

  // Returns the values of server group `group`.
  std::vector<float> Values(int group);
  Server& server(RoleId id) { return *servers_.at({id.group, id.id}).server; }
  Client& client(int group, int process) { return *clients_.at({group, process}).client; }
  std::vector<float>& memory(int group, int process) {
    return clients_.at({group, process}).memory;
  }
  // Returns the number of steps that the process of the group has finished.
  int64_t done(int group, int process) { return clients_.at({group, process}).step; }
  int64_t refused() const;
  const std::vector<std::string>& diverged() const { return diverged_; }

  // Changes a message on its way, and returns how often it arrives. Null: every message arrives
  // once.
  std::function<int(Posted* posted)> fate;

  const JobProto job;
  const SliceTable table;
  const Topology topology;
  HeldClock clock;

 private:
  struct Office : Outbox {
    void Post(Message message) override { cluster->Carry(from, std::move(message)); }
    ClusterOfRoles* cluster = nullptr;
    int from = 0;
  };
  struct OneServer {
    Office office;
    std::unique_ptr<Server> server;
  };
  struct OneClient {
    Office office;
    std::vector<float> memory;
    std::unique_ptr<Client> client;
    int64_t step = 0;
  };
  void Diverged(const std::string& text) override { diverged_.push_back(text); }
  void Carry(int from, Message message);
  void Deliver(const Posted& posted);
  bool Work(int group, int process, OneClient* worker);
  bool Fresh(const OneClient& worker) const;
  bool Turn();
  std::vector<float*> ParamsIn(std::vector<float>* memory) const;

  std::vector<ServedParam> params_;
  std::vector<int64_t> begins_;  // of each param in one row of all
  std::mt19937 random_;
  std::map<std::pair<int, int>, OneServer> servers_;
  std::map<std::pair<int, int>, OneClient> clients_;
  std::map<std::pair<int, int>, std::deque<Posted>> on_the_way_;
  int64_t steps_;
  GradientOf gradient_;
  std::vector<std::string> diverged_;
};

}  // namespace singa
