// TrainerState saves the state of a worker group that a resumed run needs to a checkpoint, and
// restores it.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "train/state/worker_rows.h"

namespace singa {

// A TrainerState refers to params and updater states in place, and copies single numbers. It is
// valid while no worker takes a step.
class TrainerState {
 public:
  explicit TrainerState(Trainer* trainer) : TrainerState({trainer}, 0, 0) {}
  // Takes the state of the workers of group `group`, which has done `steps` steps. State that all
  // have alike is the first worker's. Values and updater states are saved with the first group.
  TrainerState(std::vector<Trainer*> trainers, int group, int64_t steps);

  // Adds the state of the group's workers in another process. Throws PeerError if it does not fit.
  void Join(const WorkerRows& rows);
  // Adds params and state to `content`.
  void Save(CheckpointContent* content) const;
  // Puts a checkpoint's values into the workers, and returns the steps that the group has done.
  // Throws DataError if anything is missing or has another shape: -resume is strict. A later group
  // that the checkpoint lacks begins where the first group was. The updater's momentum may be made
  // of those of processes (handed_momentum.h).
  int64_t Restore(const Checkpoint& checkpoint);
  // Restores the values of all params and the updater states. Restore does this for the first
  // group.
  void RestoreValues(const Checkpoint& checkpoint);
  // Returns the steps that group `group` has done at the checkpoint.
  static int64_t StepsOf(const Checkpoint& checkpoint, int group);

 private:
  struct Number {
    std::string name;
    int64_t value;
  };
  // The sums of a metric, by worker of the group.
  struct Sums {
    std::string name;
    std::vector<double> sums, weights;
  };
  // A buffer, for the batch of the whole group.
  struct Whole {
    std::string name;
    Shape shape;
    std::vector<float> values;
  };
  void JoinBuffers();
  void JoinMetrics(const WorkerRows::Metrics& metrics);
  void RestoreMetrics(const Safetensors& state);
  void RestoreUpdater(const Checkpoint& checkpoint);
  void RestoreBuffers(const Safetensors& state);
  void RestoreLossScale(const Safetensors& state);
  void SaveValues(CheckpointContent* content) const;
  std::string Name(const std::string& name) const { return prefix_ + name; }

  const std::vector<Trainer*> trainers_;
  const int group_;
  const std::string prefix_;  // of names in a checkpoint
  Trainer* const trainer_;    // the first
  std::deque<Sums> metrics_;
  std::deque<Whole> buffers_;
  std::deque<Number> numbers_;
  std::map<std::string, std::vector<int64_t>> bad_records_;  // by layer, rising
};

}  // namespace singa
