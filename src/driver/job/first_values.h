// FirstValues are the values with which a training begins that does not resume.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/workspace/progress.h"
#include "singa/proto/job.pb.h"
#include "singa/proto/wire.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// The files that rank 0 has read. The other processes read these files, even if checkpoint_path
// names others by then.
struct FirstValues {
  std::vector<std::string> files;  // checkpoints' folders and files
  uint32_t checksum = 0;           // checksum of the InitReport

  // Returns the message that rank 0 sends to the others.
  ControlMessage::Begin::FirstValues ToProto() const;
  // Reads the message. Throws PeerError if `begin` has no first values.
  static FirstValues Of(const ControlMessage::Begin& begin);
};

// Sets the first values from checkpoint_path, or by the params' init. Reports params that no file
// gives, and names that the net lacks. Throws the errors of InitParams.
FirstValues SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress);

// Sets the first values in process `rank`, which is not 0. Throws the errors of InitParams, and
// DataError if the files have other values here.
void SetFirstValuesAs(const FirstValues& first, int rank, Trainer* trainer);

}  // namespace singa
