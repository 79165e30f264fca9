// SetText makes the input layer of an imported job that reads a text, and its files.
#pragma once

#include <string>

#include "driver/onnx/import/imported_net.h"

namespace singa {

struct ImportOptions;

inline constexpr int kImportBatchSize = 32;

// Contents of the files, whose paths the conf lacks. Empty: the job has no such file of its own.
struct ImportedText {
  std::string vocabulary = {}, text = {};
};

// Sets the batch and, if the options name one, the text. Makes the vocabulary of `model`, or if it
// names none, one of the first `characters` bytes, and a text of noise. Throws DataError naming
// `file` for a vocabulary that is none.
void SetText(const OnnxModel& model, const std::string& file, const ImportOptions& options,
             int64_t characters, ImportedText* files, CharRNNProto* conf);

}  // namespace singa
