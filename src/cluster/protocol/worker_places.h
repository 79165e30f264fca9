// The places of workers and processes in messages about numbers that are not finite.
#pragma once

#include <string>

#include "cluster/protocol/topology.h"
#include "singa/base/str_cat.h"
#include "train/apply/not_finite.h"

namespace singa {

// Returns the place of a worker of `group`. A job of one worker, one group, or one process does not
// name it. worker -1: it is not known.
inline NotFiniteAt PlaceOf(const Topology& topology, int group, int worker) {
  NotFiniteAt at;
  if (worker < 0 || topology.worker_groups() * topology.workers_per_group() == 1) return at;
  at.worker = worker;
  if (topology.worker_groups() > 1) at.group = group;
  if (topology.processes() > 1) at.process = topology.ProcessOfWorker({group, worker});
  return at;
}

// Returns the place of a worker of `group`, or of -1, in process `process`.
inline NotFiniteAt PlaceIn(const Topology& topology, int group, int worker, int process) {
  NotFiniteAt at = PlaceOf(topology, group, worker);
  if (topology.processes() > 1) at.process = process;
  return at;
}

}  // namespace singa
