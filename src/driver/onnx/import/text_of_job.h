// SetText sets the input layer of an imported job that reads a text, and makes the layer's files.
#pragma once

#include <string>

#include "driver/onnx/import/imported_net.h"

namespace singa {

struct ImportOptions;

inline constexpr int kImportBatchSize = 32;

// Contents of the files; the caller sets their paths. Empty: the job has no such file of its own.
struct ImportedText {
  std::string vocabulary = {}, text = {};
};

// Sets the batch size and, if the options name a text, its path; otherwise makes a text of noise.
// The vocabulary is that of the metadata of `model`, or else the first `characters` bytes. Throws
// DataError, naming `file`, for a damaged vocabulary.
void SetText(const OnnxModel& model, const std::string& file, const ImportOptions& options,
             int64_t characters, ImportedText* files, CharRNNProto* conf);

}  // namespace singa
