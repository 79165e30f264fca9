// RecordSource gives the records of one input of `singa predict`, one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/facts/input_facts.h"
#include "io/store/store.h"
#include "nn/graph/judged_output.h"
#include "singa/proto/net.pb.h"

namespace singa {

// How to read inputs.
struct SourceOptions {
  std::string backend = {};     // "": guess by content
  std::string label_path = {};  // idx
  std::string id_column = {};   // tables: as StoreOptions::id_column
  bool labels = true;           // whether records' labels are read
  bool targets = false;         // whether lines of pictures must have the targets of the net
  // The net's input layer, which defines the format of its backend's records.
  LayerProto input = {};
  std::string input_path = {};            // path of that layer, relative to the JobProto
  std::vector<int64_t> shape = {};        // shape of a record, planar
  std::vector<std::string> classes = {};  // names of the net's classes; empty: unknown
  std::vector<InputFacts> training = {};  // facts of the training data, if it still exists
  int64_t outputs = 0;                    // number of outputs of the net
};

class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // Returns the next record, of the right size and valid until the next call; null after the last.
  // Throws DataError, FileError.
  virtual const Sample* Next() = 0;
  // Returns the name of the record that Next gave: a picture's path, else INPUT:NUMBER from 0.
  virtual std::string Name() const = 0;
  // Returns the name for errors, with the line number in a text.
  virtual std::string Where() const { return Name(); }
};

// Opens `path`: a picture, a folder of pictures or of class folders, or a store of records; "-":
// lines of numbers on stdin. Adds messages for the user to `warnings`.
std::unique_ptr<RecordSource> OpenSource(const std::string& path, const SourceOptions& options,
                                         std::vector<std::string>* warnings);

// Returns short_side of the training data; 0: none. A user's own layer may set one that is too
// small, which counts as none.
int32_t ShortSideOf(const SourceOptions& options);

// Compares the facts of picture files at `path` with those of the training data. Throws ConfigError
// if both cannot be meant. Adds messages for the user to `warnings`.
void CheckPictures(const std::string& path, StoreFacts facts, const SourceOptions& options,
                   std::vector<std::string>* warnings);

// Returns the names of the classes of the training data: class_names, or class folders if `net`
// reads pictures in some that still exist; else none. Adds a warning if they cannot be read.
std::vector<std::string> ClassNames(const NetProto& net, std::vector<std::string>* warnings);

// Returns the names of the targets that the output predicts: those in the header of the training
// data, else target0, target1 and so on. Empty: it predicts no targets.
std::vector<std::string> TargetNames(const SourceOptions& options, const JudgedOutput& judged);

}  // namespace singa
