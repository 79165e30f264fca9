// RecordSource: the records of one input of `singa predict`, one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver/facts/input_facts.h"
#include "io/store/store.h"
#include "singa/proto/net.pb.h"

namespace singa {

// How inputs are read.
struct SourceOptions {
  std::string backend = {};     // "": judged by content
  std::string label_path = {};  // idx
  bool labels = true;           // whether records' labels are read
  // Of the net's input layer: it says how its own backend's records are written.
  LayerProto input = {};
  std::string input_path = {};            // of that layer, relative to the JobProto
  std::vector<int64_t> shape = {};        // of a record, planar
  std::vector<std::string> classes = {};  // names of the net's; empty: unknown
  std::vector<InputFacts> training = {};  // what it learned from, where that is still there
  int64_t outputs = 0;                    // of the net
};

class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // The next record, of the right size; null after the last. Valid until the next call. Throws
  // DataError, FileError.
  virtual const Sample* Next() = 0;
  // Of the record that Next gave: a picture's path, else INPUT:NUMBER from 0.
  virtual std::string Name() const = 0;
  // The same for errors, with the line where there are lines.
  virtual std::string Where() const { return Name(); }
};

// `path`: a picture, a folder of pictures or of class folders, or a store of records; "-": lines of
// numbers on stdin. `warnings`: what the user should hear of.
std::unique_ptr<RecordSource> OpenSource(const std::string& path, const SourceOptions& options,
                                         std::vector<std::string>* warnings);

// The names of the classes that a net was trained on, where `net` reads pictures in class folders
// that are still there; else none. `warnings`: where they cannot be read.
std::vector<std::string> ClassNames(const NetProto& net, std::vector<std::string>* warnings);

}  // namespace singa
