// JudgedOutput says what the losses of a net compare its output with.
#pragma once

#include <cstdint>
#include <string>

#include "singa/proto/net.pb.h"

namespace singa {

// An output of a trained net.
struct OutputLayer {
  std::string name = {};
  std::string input = {};     // the net's input layer
  int64_t input_targets = 0;  // targets of a record: num_targets
  int64_t size = 0;           // numbers of a row, of all steps
  int64_t steps = 1;          // time steps
};

struct JudgedOutput {
  enum Kind : uint8_t {
    kClasses,  // probabilities of classes, with the record's label
    kLabels,   // probabilities of several labels, with targets from 0 to 1
    kNumbers,  // numbers, with targets
  };
  Kind kind = kClasses;
  int64_t targets = 0;       // targets of a record; 0: it has a label
  int64_t first_target = 0;  // the first target that the output is compared with
};

// Finds what the losses of the test phase compare an output with. Throws ConfigError if that is
// neither a record's label nor its targets.
JudgedOutput FindJudged(const NetProto& net, const OutputLayer& output);

}  // namespace singa
