// Everything of a Trainer that a resumed run needs, to and from a checkpoint.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "train/trainer.h"

namespace singa {

// The tensors of a checkpoint: params and updater states where they lie, single numbers in a copy
// of their own. Valid while the Trainer takes no step.
class TrainerState {
 public:
  explicit TrainerState(Trainer* trainer);

  // Adds params and state to `content`.
  void Save(CheckpointContent* content) const;
  // Puts a checkpoint's values into the Trainer. Throws DataError where anything is missing or has
  // another shape: -resume is strict.
  void Restore(const Checkpoint& checkpoint);

 private:
  struct Number {
    std::string name;
    int64_t value;
  };
  Trainer* trainer_;
  std::deque<Number> numbers_;
  std::vector<std::pair<std::string, std::vector<int64_t>>> bad_records_;
};

}  // namespace singa
