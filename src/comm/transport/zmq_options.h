// The options and counters of a ZmqTransport.
#pragma once

#include <cstdint>
#include <string>

#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"
#include "comm/transport/zmq_settings.h"

namespace singa {

enum class Security {
  kAuto,      // CURVE, but on loopback the job's token
  kCurve,     // CURVE always
  kInsecure,  // the job's token everywhere; packets are not encrypted
};

// The warning for a job with Security::kInsecure that leaves loopback.
inline constexpr char kInsecureWarning[] =
    "insecure: true sends parameters, gradients and commands between machines unencrypted; whoever "
    "can see or change the network's packets can read and change this job";

// Number of packets that no process of this job sends, after which a peer is no longer listened to.
inline constexpr int kMostOffences = 16;

struct ZmqOptions {
  int rank = 0, processes = 1;
  // An address or network interface of this machine to listen on, or "*".
  Endpoint bind = {"127.0.0.1", 0};
  std::string advertise;  // host that others connect to; empty: the address of `bind`
  Security security = Security::kAuto;
  JobSecrets secrets;  // only this rank's secret key is used
  SocketSettings settings;
  int max_frames = 4096;     // most of a packet; a packet with more counts as an offence
  int most_strangers = 256;  // most connections whose peers have not proved who they are
  int io_threads = 1;
};

// Returns whether connections to `endpoint`, which is numeric, use CURVE. Both ends find the same.
inline bool NeedsCurve(Security security, const Endpoint& endpoint) {
  if (security == Security::kAuto) return !IsLoopback(endpoint);
  return security == Security::kCurve;
}

struct ZmqCounts {
  int64_t refused = 0;            // connections that the gate refused
  int64_t failed_handshakes = 0;  // connections that ended before they stood
  int64_t cut_off = 0;            // connections that ConnectionBound cut off
  int64_t dropped = 0;            // packets and frames that no process of the job sends
};

}  // namespace singa
