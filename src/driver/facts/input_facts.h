// InputFacts holds the facts of the store of one input layer. They are compared with the conf and
// with those of other layers.
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

// Names of the settings that let a program skip records, and that limit their number.
struct Skipping {
  const char* setting = "on_bad_record: kSkip";
  const char* limit = "max_bad_records";
};

struct InputFacts {
  Phase phase = kTrain;
  std::string layer = {};
  std::string path = {};  // relative to the JobProto: neuralnet.layer[data].store_conf
  RowSource source = {};  // settings of the conf
  StoreFacts facts = {};  // facts of the store
  int64_t classes = -1;   // number of classes of the losses on its labels; -1: not known
  std::string loss = {};  // the loss that has the fewest classes
  Skipping skipping = {};
};

// Returns the facts of a net whose stores are open. Waits for their readers.
std::vector<InputFacts> InputsOf(Net* net);
// Returns the facts of the trainer's nets of all phases.
std::vector<InputFacts> InputsOf(Trainer* trainer);
// Returns the facts of the conf's input layers in `phases`. Opens each store once. Leaves out
// stores that are missing, damaged or slow to index. `unreadable`, if not null, gets the errors
// that training would report of stores, first records and texts, relative to the JobProto.
std::vector<InputFacts> PeekInputs(const NetProto& conf, const std::vector<Phase>& phases,
                                   ConfigErrors* unreadable = nullptr);
// Returns the facts of the training's inputs for a program that does not train. The facts do not
// include labels and left-out files, as the program reads none of these records.
std::vector<InputFacts> PeekTraining(const NetProto& conf);

}  // namespace singa
