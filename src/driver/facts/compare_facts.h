// Compares what the stores of a job say of themselves with the conf, and with each other: the one
// place for training, tests, `singa check` and `singa predict`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/conf/check_values.h"
#include "driver/facts/input_facts.h"

namespace singa {

// `inputs`: of all phases that are known. Errors are contradictions that no result could be meant
// by; warnings those where it can. Both are relative to the JobProto.
ConfFindings CompareFacts(const std::vector<InputFacts>& inputs);

// Warnings where layers of one name prepare records otherwise in a test than in training.
void CompareSettings(const NetProto& net, ConfFindings* found);

// Compares for callers that have no places in the conf to show. Throws the first error and passes
// each warning to `warn`.
void TellFacts(const std::vector<InputFacts>& inputs,
               const std::function<void(const std::string&)>& warn);

// Returns the first label that is another class in `own` than in `names`, as text. Returns "" if
// none is, or if names are not known. Classes that `own` lacks behind its last one change no label.
// `there` says where `names` comes from.
std::string OtherLabel(const std::vector<std::string>& names, const std::vector<std::string>& own,
                       const std::string& there);

// For a test: puts the classes that a checkpoint was trained on, if it says so, in the place of
// those that its training store has now.
void SetTrainedClasses(const std::vector<std::string>& classes, std::vector<InputFacts>* inputs);

// Judges a store that the conf does not name: INPUT of `singa predict`, SRC of `singa data`. Throws
// the first error, with exit code 65, and tells of each warning.
void TellOwnFacts(const InputFacts& input, const std::function<void(const std::string&)>& warn);

}  // namespace singa
