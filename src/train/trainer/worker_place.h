// WorkerPlace says which worker of a job one is.
#pragma once

#include <optional>

#include "math/reduction/sum_tree.h"
#include "tensor/gpu/gpu_group.h"
#include "train/device/gpu_sender.h"
#include "train/reduce/piece_plan.h"

namespace singa {

struct WorkerPlace {
  int threads = 1;
  int worker = 0, workers = 1;  // number in its group, and size of the group
  int group = 0, groups = 1;
  int first = 0;  // first worker of its group in this process
  // The group's workers in other processes are on this host, and share memory with these.
  bool shares_host = false;
  int first_here = 0;  // number of the group's first worker here, among all workers of the process
  int gpu = -1;        // number of the machine's GPU; -1: the worker computes on the CPU
  // All workers of the group have GPUs of their own, which add up among themselves.
  std::optional<GpuMember> gpus = {};
  std::optional<GpuSender> sender = {};  // with `gpus`; none: it sends whole gradients
  // Cores of this host that an evaluation may use, the same in all processes of the job. 0: the
  // cores that this process may run on.
  int cores = 0;
  int here = 1;  // workers of the group in this process
  bool leads() const { return worker == first; }
  // Returns the group's workers that share memory with this one.
  SumNode sharing() const {
    return shares_host ? SumNode{0, workers} : SumNode{first, first + here};
  }
  // Returns whether it is the first worker that uses its copy of the values.
  bool first_sharing() const { return worker == sharing().first; }
  bool spans_processes() const { return here < sharing().workers(); }
};

// Returns how the worker at `place` hands gradients on in pieces.
inline PiecePlan PiecePlanOf(const WorkerPlace& place) {
  return PiecePlan(place.sharing(), place.workers, place.threads, place.spans_processes());
}

}  // namespace singa
