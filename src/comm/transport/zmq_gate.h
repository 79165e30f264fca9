// ZmqGate decides who may connect to this process: it is the ZAP handler of the process's context
// (rfc.zeromq.org/spec/27), which ZeroMQ asks before it takes any message of a peer. By CURVE a
// process is known by its key. By PLAIN its name holds its rank, and its password proves that it
// knows the job's token; a password is of use to no other process and at no other port.
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

// What a connection is called: the process, which of its lives, and the count of its connections.
struct RoutingId {
  int rank = -1;
  std::string incarnation;  // 16 hexadecimal digits
  int64_t connection = 0;   // from 1
};
std::string ToString(const RoutingId& id);
// False: `text` is none.
bool ParseRoutingId(const std::string& text, RoutingId* id);

std::string PasswordOf(const std::string& token, const std::string& routing_id, int server,
                       int port);
// What the process that is connected to is called: proves to its peers, and to them alone, who it
// is.
std::string ServerName(const std::string& token, int rank);

class ZmqGate {
 public:
  // Peers of ranks above `rank`. REQUIRES: no socket of the context listens yet.
  ZmqGate(zmq::context_t* context, const Clock* clock, int rank, int processes,
          const JobSecrets& secrets, bool curve);

  void SetPort(int port) { port_ = port; }
  zmq::socket_t* socket() { return &socket_; }
  // Answers all questions that wait.
  void Answer();
  int64_t refused() const { return refused_; }

 private:
  // The rank; -1: refused, for `reason`.
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
