// GraphValues holds the values of an ONNX graph while it is imported.
#pragma once

#include <map>
#include <string>

#include "driver/onnx/import/imported_net.h"

namespace singa {

class GraphValues {
 public:
  // Counts the readers of each value, and adds the constants of `model`, which must outlive this.
  explicit GraphValues(const OnnxModel& model);

  // Returns the number of nodes and outputs of the graph that read the value.
  int Readers(const std::string& name) const;
  bool Has(const std::string& name) const { return values_.contains(name); }
  // Returns the value. One that was not set is of the form kUnknown.
  ImportValue& Value(const std::string& name);
  void Set(ImportValue value);

 private:
  std::map<std::string, int> readers_;
  std::map<std::string, ImportValue> values_;
};

}  // namespace singa
