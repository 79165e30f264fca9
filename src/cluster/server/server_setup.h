// What a server is made of, what it tells, what it counts.
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
  const std::vector<ServedParam>& params;  // as the table was made of
  const Clock& clock;
  RoleId self;
  // The step that each worker group begins with.
  std::vector<int64_t> first_steps;
  // The memory of each param, where the server's process has the group's workers and shares it with
  // them; else empty.
  std::vector<float*> values = {};
  const Codec& codec = Identity();  // of gradients
};

class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  // A gradient is not finite, and the job says kAbort: it was not applied, and the step never is.
  virtual void Diverged(const std::string& text) = 0;
};

// Updates of slices.
struct StepCounts {
  int64_t applied = 0;
  int64_t skipped = 0;  // steps of a group that on_nonfinite: kSkip dropped, not slices
  StalenessCounts staleness;
};

// Messages and parts that changed nothing, by reason.
struct RefusedCounts {
  int64_t misrouted = 0;    // to another role, or of a type that no server takes
  int64_t sender = 0;       // nobody who may send it, or of a group that was dropped
  int64_t malformed = 0;    // parts: which, how many, how long
  int64_t duplicate = 0;    // known already
  int64_t out_of_turn = 0;  // a step, version or exchange that cannot come now
  int64_t total() const { return misrouted + sender + malformed + duplicate + out_of_turn; }
};

}  // namespace singa
