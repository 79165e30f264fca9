// Everything of a job's workers that a resumed run needs, to and from a checkpoint.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "train/state/worker_rows.h"

namespace singa {

// The tensors of a checkpoint: params and updater states where they lie, single numbers in a copy
// of their own. Valid while no worker takes a step.
class TrainerState {
 public:
  explicit TrainerState(Trainer* trainer) : TrainerState({trainer}, 0, 0) {}
  // The workers of group `group`, which has done `steps` steps; what all have alike is the first's.
  // Values and updater states are the first group's.
  TrainerState(std::vector<Trainer*> trainers, int group, int64_t steps);

  // Adds what workers of the group in another process have. Throws PeerError where it does not fit.
  void Join(const WorkerRows& rows);
  // Adds params and state to `content`.
  void Save(CheckpointContent* content) const;
  // Puts a checkpoint's values into the workers. Throws DataError where anything is missing or has
  // another shape: -resume is strict.
  // Where it has nothing of the group, which is then another than the first, the group begins where
  // the first was. Returns the steps that the group has done.
  int64_t Restore(const Checkpoint& checkpoint);
  // The values of all params, and what the updater remembers: Restore does this for the first
  // group.
  void RestoreValues(const Checkpoint& checkpoint);
  // Steps that group `group` has done there.
  static int64_t StepsOf(const Checkpoint& checkpoint, int group);

 private:
  struct Number {
    std::string name;
    int64_t value;
  };
  // Of a metric: a number of each worker of the group.
  struct Sums {
    std::string name;
    std::vector<double> sums, weights;
  };
  // A buffer of the whole group.
  struct Whole {
    std::string name;
    Shape shape;
    std::vector<float> values;
  };
  void JoinBuffers();
  void JoinMetrics(const WorkerRows::Metrics& metrics);
  void RestoreMetrics(const Safetensors& state);
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
