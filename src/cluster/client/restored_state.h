// RestoredState has the state of one kind that a checkpoint keeps for workers' exchange of
// gradients (train/reduce/exchange_state.h), until the workers here continue with it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/protocol/topology.h"
#include "io/checkpoint/safetensors.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the beginnings of the names of state of `kind` in all processes of the job.
std::vector<std::string> StatePrefixes(std::string_view kind, const Topology& topology);

class RestoredState {
 public:
  // owners: the beginnings of the names of all workers' own state in the job. If a checkpoint has
  // other such names, its job divided the workers among processes in another way.
  RestoredState(std::string_view kind, std::vector<std::string> owners)
      : kind_(kind), owners_(std::move(owners)) {}

  // Takes the tensors of the kind for which is_here(name) holds. If the checkpoint has state of
  // workers that the job does not have, no worker continues with its own.
  void Read(const Safetensors& checkpoint, const std::function<bool(const std::string&)>& is_here);
  // Returns whether the checkpoint has state of the kind.
  bool any() const { return any_; }
  // Returns the numbers of each tensor here, by name.
  const std::map<std::string, std::vector<float>>& floats() const { return floats_; }
  // Ends the restoration, and warns if workers' own state in the checkpoint is not used. fits: the
  // workers here continue with their own. State that the job's updater takes over draws no warning.
  // is_first: this process warns of state that no worker uses.
  void End(bool fits, bool is_first, const JobProto& job);

 private:
  bool IsOfJob(const std::string& name) const;

  const std::string_view kind_;
  const std::vector<std::string> owners_;
  std::map<std::string, std::vector<float>> floats_;
  bool any_ = false;
  bool of_workers_ = false;    // some of it is workers' own
  bool lost_ = false;          // some of it is of workers that the job does not have
  bool had_momentum_ = false;  // of each process
};

}  // namespace singa
