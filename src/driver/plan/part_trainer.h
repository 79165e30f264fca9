// PartTrainer is the trainer of one worker of a group without the others. Its memory can be
// counted, or it can be run alone.
#pragma once

#include "train/trainer/trainer.h"

namespace singa {

class PartTrainer {
 public:
  // Allocates no tensor. An epoch is one step, as the learning rate does not change the time of a
  // step. Throws ConfigError relative to the JobProto.
  PartTrainer(const JobProto& job, const WorkerPlace& place)
      : replica_(job), updates_(job, &replica_), trainer_(job, place, &replica_, &updates_) {
    replica_.SetEpochSteps(1);
  }

  Trainer& trainer() { return trainer_; }
  const Trainer& trainer() const { return trainer_; }
  SliceUpdates* updates() { return &updates_; }

 private:
  Replica replica_;
  ReplicaUpdates updates_;
  Trainer trainer_;
};

}  // namespace singa
