// These functions prepare what `singa predict` needs before the first record: the model, the input
// layer, and the names of outputs.
#pragma once

#include <string>
#include <vector>

#include "driver/arguments/arguments.h"
#include "driver/predict/predict_request.h"
#include "io/vocabulary.h"
#include "nn/graph/judged_output.h"
#include "singa/driver/model.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Loads the model. Reports a wrong output as a mistake of the option, not of the job.
Model LoadModel(const JobProto& job, const ModelOptions& options, const Arguments& args);

// Logs warnings.
void LogWarnings(const std::vector<std::string>& warnings);

// Sets the model's input layer in the test phase, its path, and the number of outputs.
void DescribeInput(const Model& model, const NetProto& net, SourceOptions* source);

// Returns the file of the net's characters; "": the net reads no text.
std::string VocabularyOf(const LayerProto& input);

// If each output is the probability of a character that may follow, sets the classes' names and
// returns true.
bool NameCharacters(const Model& model, const Vocabulary& vocabulary, PredictRequest* request);

// Returns what the losses compare the output with. For a report it must be the records' label or
// targets.
JudgedOutput Judged(const Model& model, const PredictRequest& request, const NetProto& net,
                    const Arguments& args);

// Sets the shape and the training facts of records, and the names of classes or targets. Logs
// warnings.
void DescribeRecords(const Model& model, const JudgedOutput& judged, const NetProto& net,
                     PredictRequest* request);

}  // namespace singa
