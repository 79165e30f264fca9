// The setup, the events and the counters of a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/thread/clock.h"
#include "cluster/protocol/served_param.h"
#include "cluster/protocol/staleness_counts.h"
#include "cluster/protocol/topology.h"
#include "comm/codec/identity.h"
#include "comm/collective/slice_table.h"
#include "singa/proto/job.pb.h"

namespace singa {

// All must outlive the server.
struct ServerSetup {
  const JobProto& job;
  const Topology& topology;
  const SliceTable& table;
  const std::vector<ServedParam>& params;  // the params that the table was made of
  const Clock& clock;
  RoleId self;
  // By worker group: the step that it begins with.
  std::vector<int64_t> first_steps;
  // The memory of each param, if the server's process has the group's workers and shares it with
  // them; else empty.
  std::vector<float*> values = {};
  const Codec& codec = Identity();  // of gradients
  // Each process has the values and states, and applies the sums that the server sends. REQUIRES:
  // codec.sends_sums(), and one worker group.
  bool sends_sums = false;
  int64_t total_steps = 0;  // of each worker group in the whole job
  double epoch_steps = 0;   // steps of an epoch; 0: not known
};

class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  // A gradient is not finite, and the job says kAbort. The step was not applied, and never is.
  virtual void Diverged(const std::string& text) = 0;
};

// Counts of updates of slices.
struct StepCounts {
  int64_t applied = 0;
  int64_t skipped = 0;  // steps of a group that on_nonfinite: kSkip dropped, not slices
  StalenessCounts staleness;
};

// Counts of messages and parts that changed nothing, by reason.
struct RefusedCounts {
  int64_t misrouted = 0;    // to another role, or of a type that no server takes
  int64_t sender = 0;       // from a role that may not send it, or of a group that was dropped
  int64_t malformed = 0;    // wrong slices, or a wrong number or size of parts
  int64_t duplicate = 0;    // known already
  int64_t out_of_turn = 0;  // of a step, version or exchange that cannot come now
  int64_t total() const { return misrouted + sender + malformed + duplicate + out_of_turn; }
};

}  // namespace singa
