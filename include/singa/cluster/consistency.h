// Consistency: when a server applies what worker groups contribute, and when it lets them go on.
// One object a server, used by its thread. A user's own is named by ClusterProto.user_consistency.
//
// Workers of one group are always synchronous: a step of a group is one update of a slice, once all
// its processes have sent their gradients. A consistency model says how groups stand to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "singa/base/registry.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// How far a worker group has come with one slice.
struct GroupClock {
  int64_t step = 0;  // the first of the group's steps that the slice does not hold yet
};

class SINGA_API Consistency {
 public:
  virtual ~Consistency() = default;
  // Throws ConfigError relative to `conf`.
  virtual void Setup(const ClusterProto& /*conf*/) {}

  // Both are asked again after each update of the slice until they say yes; `clocks` are the groups
  // of one server group. They must not throw.

  // Whether step clocks[group].step of `group`, which is complete, may be applied now.
  virtual bool MayApply(std::span<const GroupClock> clocks, int group) const;
  // Whether `group`, whose last step was applied, may have the new values and go on.
  virtual bool MayAnswer(std::span<const GroupClock> clocks, int group) const;
};

using ConsistencyRegistry = Registry<Consistency>;
SINGA_API ConsistencyRegistry& Consistencies();

// The model that conf.user_consistency names, after its Setup; without it one that lets all groups
// go on. Throws ConfigError relative to `conf`.
SINGA_API std::unique_ptr<Consistency> MakeConsistency(const ClusterProto& conf);

#define SINGA_REGISTER_CONSISTENCY(name, Class)                                                   \
  [[maybe_unused]] const bool singa_registered_consistency_##name = ::singa::Consistencies().Add( \
      #name, [] { return std::unique_ptr<::singa::Consistency>(std::make_unique<Class>()); })

}  // namespace singa
