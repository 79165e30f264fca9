// PlanCluster describes the workers that a plan is for: one group, on one or several hosts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "train/trainer/worker_place.h"

namespace singa {

struct PlanCluster {
  int workers = 1;
  int hosts = 1;
  int threads = 1;  // of each worker
  int cores = 1;    // of a host; with gpus: its GPUs, one for each worker
  bool gpus = false;
  // The workers have GPUs whose speed nobody knows. The times are those of cores, and only the
  // bytes that GPUs send are predicted.
  bool untimed_gpus = false;
  int servers = 0;             // hosts that have servers; 0: each host has its own, or needs none
  bool servers_apart = false;  // the servers are on hosts of their own
  double link_gbit = 10;       // Gbit/s of a host's link, in each direction
  double link_us = 50;         // microseconds that a message is under way
  std::string why_mpi;         // SyncFacts::why_mpi of the hosts' processes

  bool on_gpus() const { return gpus || untimed_gpus; }
  // Workers of the host that has most.
  int here() const { return (workers + hosts - 1) / hosts; }
  // Workers of a host that compute at once; the others wait for a core.
  int at_once() const { return std::clamp(cores / threads, 1, here()); }
  // The workers of a host share its cores. This is the factor of a worker's times for work that any
  // free worker takes.
  double sharing() const { return static_cast<double>(here()) / at_once(); }
  // The factor for work that each worker does itself. Workers meet more often than the system
  // switches threads, so 3 workers on 2 cores take as long as 4.
  int turns() const { return TurnsOf(here()); }
  int TurnsOf(int count) const { return (count + at_once() - 1) / at_once(); }
  // Sets the threads of each worker on a machine that a file describes. 0: the cores, divided by
  // the workers of a host. ThreadsOfWorker returns the threads on this machine.
  void SetThreads(int given) {
    threads = gpus ? 1 : given > 0 ? given : std::max(1, cores / here());
  }
  // One worker that trains alone on a host: with all cores, or one GPU.
  PlanCluster Alone() const {
    PlanCluster one;
    one.gpus = gpus;
    one.threads = one.cores = gpus ? 1 : cores;
    return one;
  }
  // The place of worker number `worker` if it alone is in its process.
  WorkerPlace PlaceOf(int worker) const {
    return {.threads = threads, .worker = worker, .workers = workers, .first = worker, .here = 1};
  }
};

}  // namespace singa
