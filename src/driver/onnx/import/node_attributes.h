// NodeAttributes gives the attributes of one node of an ONNX graph.
#pragma once

#include <cstdint>
#include <string>

#include "driver/onnx/import/import_state.h"
#include "singa/base/str_cat.h"

namespace singa {

inline constexpr int64_t kMostSizes = 1024;  // no list of sizes is longer
inline constexpr size_t kMostRank = 16;      // no computed value has more dimensions

class NodeAttributes {
 public:
  NodeAttributes(int index, const ImportState& state) : index_(index), state_(state) {}

  const OnnxNode& node() const { return state_.model.nodes[index_]; }
  int index() const { return index_; }
  int64_t opset() const { return state_.model.opset; }
  // Says why the node has no layer.
  [[noreturn]] void Refuse(const std::string& why) const { state_.layers.Refuse(index_, why); }

  // Return an attribute. Refuse the node if it is of another type, not finite or too long.
  int64_t Int(const std::string& name, int64_t missing) const;
  float Float(const std::string& name, float missing) const;
  std::string Text(const std::string& name, const std::string& missing) const;
  Sizes Ints(const std::string& name) const;  // none if it is missing
  // Returns `axis`, which may be negative, as a dimension of a value of these sizes.
  int64_t Axis(int64_t axis, const Sizes& dims) const;

 private:
  const OnnxAttribute* Find(const std::string& name) const { return node().Find(name); }

  const int index_;
  const ImportState& state_;
};

}  // namespace singa
