// What a ZmqTransport is made of.
#pragma once

#include <cstdint>
#include <string>

#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"
#include "comm/transport/zmq_settings.h"

namespace singa {

enum class Security {
  kAuto,      // CURVE, but the job's token on loopback
  kCurve,     // always
  kInsecure,  // the job's token everywhere: who can see or change packets can read and change all
};

// To be shown where a job with Security::kInsecure leaves loopback.
inline constexpr char kInsecureWarning[] =
    "insecure: true sends parameters, gradients and commands between machines unencrypted; whoever "
    "can see or change the network's packets can read and change this job";

// Packets that no process of this job sends, before a peer is not listened to any more.
inline constexpr int kMostOffences = 16;

struct ZmqOptions {
  int rank = 0, processes = 1;
  // Where to listen: an address or network interface of this machine, or "*".
  Endpoint bind = {"127.0.0.1", 0};
  std::string advertise;  // host that others connect to; empty: what `bind` becomes
  Security security = Security::kAuto;
  JobSecrets secrets;  // secret keys: this rank's alone is used
  SocketSettings settings;
  int max_frames = 4096;     // of a packet; who sends more of them is soon not listened to
  int most_strangers = 256;  // connections whose peers have not proved who they are
  int io_threads = 1;
};

// Whether connections to `endpoint`, which is numeric, are by CURVE: both ends find the same.
inline bool NeedsCurve(Security security, const Endpoint& endpoint) {
  if (security == Security::kAuto) return !IsLoopback(endpoint);
  return security == Security::kCurve;
}

struct ZmqCounts {
  int64_t refused = 0;  // connections, by the gate
  int64_t failed_handshakes =
      0;                // connections that were closed before they stood, refused ones too
  int64_t cut_off = 0;  // connections, as others came before their peers had proved who they are
  int64_t dropped = 0;  // packets and frames that no process of the job sends
};

}  // namespace singa
