// Consistency decides when a server applies the gradients of a worker group and when the group may
// go on. Each server has one object, which only its thread uses. ClusterProto.user_consistency
// names a user's model.
//
// Workers of one group are always synchronous: a step of a group is one update of a slice, applied
// once all processes of the group have sent their gradients. The model only orders groups.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "singa/base/registry.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Progress of a worker group with one slice.
struct GroupClock {
  int64_t step = 0;  // first step of the group that was not applied to the slice yet
};

class SINGA_API Consistency {
 public:
  virtual ~Consistency() = default;
  // Reads the settings. Throws ConfigError relative to `conf`.
  virtual void Setup(const ClusterProto& /*conf*/) {}

  // After each update of the slice the server calls both functions again, until they return true.
  // `clocks` holds the groups of one server group. The functions must not throw.

  // Returns whether step clocks[group].step of `group`, all of whose gradients have arrived, may be
  // applied now.
  virtual bool MayApply(std::span<const GroupClock> clocks, int group) const;
  // Returns whether `group`, whose last step was applied, may get the new values and go on.
  virtual bool MayAnswer(std::span<const GroupClock> clocks, int group) const;
};

using ConsistencyRegistry = Registry<Consistency>;
SINGA_API ConsistencyRegistry& Consistencies();

// Makes the model that conf.user_consistency names and calls its Setup. If none is named, returns a
// model that never makes a group wait. Throws ConfigError relative to `conf`.
SINGA_API std::unique_ptr<Consistency> MakeConsistency(const ClusterProto& conf);

#define SINGA_REGISTER_CONSISTENCY(name, Class)                                                   \
  [[maybe_unused]] const bool singa_registered_consistency_##name = ::singa::Consistencies().Add( \
      #name, [] { return std::unique_ptr<::singa::Consistency>(std::make_unique<Class>()); })

}  // namespace singa
