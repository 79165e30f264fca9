// ZmqGate decides who may connect to this process: it is the ZAP handler of the process's context
// (rfc.zeromq.org/spec/27), which ZeroMQ asks before it takes any message of a peer. With CURVE a
// process is known by its key. With PLAIN its name holds its rank, and its password proves that it
// knows the job's token. A password is valid for one process and one port.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "base/thread/clock.h"
#include "comm/security/keys.h"

namespace singa {

// The name of a connection: the process, its incarnation, and the count of its connections.
struct RoutingId {
  int rank = -1;
  std::string incarnation;  // 16 hexadecimal digits
  int64_t connection = 0;   // from 1
};
std::string ToString(const RoutingId& id);
// Returns false if `text` is no routing id.
bool ParseRoutingId(const std::string& text, RoutingId* id);

std::string PasswordOf(const std::string& token, const std::string& routing_id, int server,
                       int port);
// Returns the name of the process that others connect to. The name proves to processes of the job
// who it is, and nothing to others.
std::string ServerName(const std::string& token, int rank);

class ZmqGate {
 public:
  // Admits peers of ranks above `rank`. REQUIRES: no socket of the context listens yet.
  ZmqGate(zmq::context_t* context, const Clock* clock, int rank, int processes,
          const JobSecrets& secrets, bool curve);

  void SetPort(int port) { port_ = port; }
  zmq::socket_t* socket() { return &socket_; }
  // Answers all questions of ZeroMQ that wait.
  void Answer();
  int64_t refused() const { return refused_; }

 private:
  // Returns the peer's rank; -1: it is refused, for `reason`.
  int Judge(const std::vector<std::string>& question, const char** reason) const;
  int JudgeKey(const std::string& key, const char** reason) const;
  int JudgePassword(const std::string& name, const std::string& password,
                    const char** reason) const;
  void Reply(const std::vector<std::string>& question, int rank);
  void Report(const std::string& source, const char* reason);

  zmq::socket_t socket_;
  const Clock* clock_;
  int rank_, processes_, port_ = 0;
  bool curve_;
  std::string token_;
  std::map<std::string, int> rank_of_key_;
  int64_t refused_ = 0, next_report_ = 0;
  std::set<std::string> reported_;
};

}  // namespace singa
