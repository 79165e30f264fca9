// Collects the facts that the stores of a job's input layers state, to compare them with the conf
// and with each other.
#pragma once

#include <string>
#include <vector>

#include "io/reader/batch_decoder.h"
#include "io/store/store_facts.h"
#include "nn/graph/graph.h"
#include "singa/nn/net.h"
#include "singa/proto/net.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// Names of the settings that let a program leave out records, and that bound their number.
struct Skipping {
  const char* setting = "on_bad_record: kSkip";
  const char* limit = "max_bad_records";
};

struct InputFacts {
  Phase phase = kTrain;
  std::string layer = {};
  std::string path = {};  // relative to the JobProto: neuralnet.layer[data].store_conf
  RowSource source = {};  // what the conf says
  StoreFacts facts = {};  // what the store says
  int64_t classes = -1;   // that the losses on its labels have; -1: not known
  std::string loss = {};  // the layer that has the fewest
  Skipping skipping = {};
};

// Returns the facts of a net whose stores are open. Waits for their readers.
std::vector<InputFacts> InputsOf(Net* net);
// Returns the facts of the trainer's nets of all phases.
std::vector<InputFacts> InputsOf(Trainer* trainer);
// Returns the facts of the input layers that the conf has in `phases`; opens each store once.
// Stores that are missing, damaged, or slow to index are left out. `unreadable`, if not null, gets
// what training would report of them, their first records and texts, relative to the JobProto.
std::vector<InputFacts> PeekInputs(const NetProto& conf, const std::vector<Phase>& phases,
                                   ConfigErrors* unreadable = nullptr);
// Gives the inputs of training to a program that does not train. It reads none of their records, so
// labels and left-out files are not among the facts.
std::vector<InputFacts> PeekTraining(const NetProto& conf);

}  // namespace singa
