// CompareFacts compares the facts of a job's stores with the conf and with each other. Training,
// tests, `singa check` and `singa predict` use it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/facts/conf_findings.h"
#include "driver/facts/input_facts.h"

namespace singa {

// Compares `inputs`, which are of all known phases. A contradiction is an error if no useful result
// is possible, else a warning. Both are relative to the JobProto.
ConfFindings CompareFacts(const std::vector<InputFacts>& inputs);

// Warns if layers of one name prepare records differently in a test and in training.
void CompareSettings(const NetProto& net, ConfFindings* found);

// Compares facts. Throws the first error and passes each warning to `warn`. For callers that do not
// show places in the conf.
void TellFacts(const std::vector<InputFacts>& inputs,
               const std::function<void(const std::string&)>& warn);

// Returns the first label that is another class in `own` than in `names`, as text. Returns "" if
// none is, or if names are not known. Classes that `own` lacks behind its last one change no label.
// `there` says where `names` comes from.
std::string OtherLabel(const std::vector<std::string>& names, const std::vector<std::string>& own,
                       const std::string& there);

// Returns the first column of numbers that has another name in `own` than in the training's store,
// as text. Returns "" if there is none, or if names are not known.
std::string OtherColumn(const std::vector<std::string>& trained,
                        const std::vector<std::string>& own);

// For a test: replaces the classes of the training store by the classes that a checkpoint was
// trained on, if it names them.
void SetTrainedClasses(const std::vector<std::string>& classes, std::vector<InputFacts>* inputs);

// Checks a store that the conf does not name: INPUT of `singa predict`, SRC of `singa data`. Throws
// the first error, with exit code 65, and passes each warning to `warn`.
void TellOwnFacts(const InputFacts& input, const std::function<void(const std::string&)>& warn);

}  // namespace singa
