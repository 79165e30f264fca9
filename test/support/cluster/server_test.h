// ServerMessages is one server, to which tests send messages by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/cluster/cluster_of_roles.h"

namespace singa {

// The server is server 0 of group 0 of two server groups with two servers each. Processes 0 and 1
// have worker group 0, processes 2 and 3 have group 1. The server owns slices 0 (3 floats) and 1 (2
// floats).
class ServerMessages : public ::testing::Test, public ServerEvents {
 protected:
  ServerMessages()
      : job(JobOf(kSumUpdater,
                  "nworker_groups: 2 nserver_groups: 2 nworkers_per_group: 2 "
                  "nservers_per_group: 2 sync_freq: 9")),
        server({job, topology, table, params, clock, {0, 0}, {0, 0}}, &sent, this) {}

  static Message Text(const std::string& text, const std::vector<std::vector<float>>& payload) {
    Message message;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message.head)) << text;
    for (const std::vector<float>& floats : payload) message.payload.push_back(FrameOf(floats));
    return message;
  }
  // Sends a message from a client of worker group 0 in process `rank`.
  void FromClient(int rank, const std::string& text,
                  const std::vector<std::vector<float>>& payload = {}) {
    server.OnMessage(
        rank,
        Text(StrCat("to { role: kServer } from { role: kClient group: 0 id: ", rank, " } ", text),
             payload));
  }
  void FromServer(RoleId id, const std::string& text,
                  const std::vector<std::vector<float>>& payload = {}) {
    server.OnMessage(topology.ProcessOfServer(id),
                     Text(StrCat("to { role: kServer } from { role: kServer group: ", id.group,
                                 " id: ", id.id, " } ", text),
                          payload));
  }
  void PutAll() {
    FromClient(0,
               "type: kPut part { slice: 0 elements: 3 version: 5 count: 5 } "
               "part { slice: 1 elements: 2 version: 5 count: 5 }",
               {{1, 2, 3}, {4, 5}});
  }
  void Diverged(const std::string& text) override { diverged.push_back(text); }
  // Returns type and parts of the messages that the server sent since the last call.
  std::string Answers() {
    std::string text;
    for (const Message& message : std::exchange(sent.messages, {})) {
      text += StrCat(WireMessage::Type_Name(message.head.type()), "->", message.head.to().id());
      for (const SlicePart& part : message.head.part())
        text += StrCat(" ", part.slice(), "v", part.version(), "x", part.elements());
      text += ";";
    }
    return text;
  }

  const std::vector<Shape> shapes = {{3}, {2}, {5}};
  const std::vector<ServedParam> params = {{"a", "l", {}}, {"b", "l", {}}, {"c", "l", {}}};
  JobProto job;
  const SliceTable table{shapes};
  const Topology topology{job.cluster()};
  HeldClock clock;
  SentMessages sent;
  std::vector<std::string> diverged;
  Server server;
};

}  // namespace singa
