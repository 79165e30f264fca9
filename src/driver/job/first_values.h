// The values that a training begins with where it resumes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/job/progress.h"
#include "singa/proto/job.pb.h"
#include "singa/proto/wire.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// The files that rank 0 has read. The other processes read these files, even if checkpoint_path
// names others by then.
struct FirstValues {
  std::vector<std::string> files;  // checkpoints' folders and files
  uint32_t checksum = 0;           // InitReport's

  // As rank 0 tells the others.
  ControlMessage::Begin::FirstValues ToProto() const;
  // Throws PeerError where `begin` has none.
  static FirstValues Of(const ControlMessage::Begin& begin);
};

// From checkpoint_path, or by the params' init. Says which params no file gives, and which names
// the net lacks. Throws as InitParams.
FirstValues SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress);

// Sets the first values in process `rank`, which is not 0. Throws as InitParams, and DataError if
// the files hold other values here.
void SetFirstValuesAs(const FirstValues& first, int rank, Trainer* trainer);

}  // namespace singa
