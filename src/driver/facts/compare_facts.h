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

// Errors where a first record has not as many numbers as the conf says, which training finds when
// it reads the record.
void CheckFirstRecords(const std::vector<InputFacts>& inputs, ConfFindings* found);

// Warnings where layers of one name prepare records otherwise in a test than in training.
void CompareSettings(const NetProto& net, ConfFindings* found);

// Compares for callers that have no places in the conf to show. Throws the first error and passes
// each warning to `warn`.
void TellFacts(const std::vector<InputFacts>& inputs,
               const std::function<void(const std::string&)>& warn);

// Says what is wrong with records of colour order `own` for a net that learned from `training`.
// Returns "" if nothing is.
std::string OtherColours(const std::vector<InputFacts>& training, ColourOrder own);

}  // namespace singa
