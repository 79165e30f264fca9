#include "driver/job/net_graph.h"

#include <set>
#include <string>
#include <vector>

#include "nn/plan/net_sources.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns the text with "_" for each character that TensorBoard does not take in names of nodes.
std::string NodeName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain || c == '_' || c == '-' || c == '.' || c == '/' ? c : '_';
  }
  return name;
}

// Returns different names of the net's nodes.
std::vector<std::string> NodeNames(const Net& net) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const NetNode& node : net.nodes()) {
    std::string name = NodeName(node.full_name);
    while (!used.insert(name).second) name += StrCat("_", names.size());
    names.push_back(name);
  }
  return names;
}

tensorboard::TensorShape GraphShape(const Shape& shape) {
  tensorboard::TensorShape to;
  for (int i = 0; i < shape.dims(); ++i) to.add_dim()->set_size(shape[i]);
  return to;
}

tensorboard::NodeDef NodeOf(const NetNode& node) {
  const LayerProto& conf = node.conf;
  tensorboard::NodeDef to;
  to.set_op(NodeName(conf.has_user_type() ? conf.user_type() : LayerType_Name(conf.type())));
  to.set_device(node.on_device ? "/device:GPU:0" : "/device:CPU:0");
  auto& attributes = *to.mutable_attr();
  auto& shapes = *attributes["_output_shapes"].mutable_list();
  for (const Port* port : node.out) *shapes.add_shape() = GraphShape(port->data.shape());
  for (const Param* param : node.declared().params)
    *attributes[NodeName(param->name())].mutable_shape() = GraphShape(param->shape());
  return to;
}

}  // namespace

tensorboard::GraphDef GraphOf(const Net& net) {
  const std::vector<std::string> names = NodeNames(net);
  tensorboard::GraphDef graph;
  for (size_t i = 0; i < names.size(); ++i) {
    *graph.add_node() = NodeOf(net.nodes()[i]);
    graph.mutable_node(static_cast<int>(i))->set_name(names[i]);
  }
  for (const auto& [source, reader] : EdgesOf(net))
    graph.mutable_node(reader)->add_input(names[static_cast<size_t>(source)]);
  return graph;
}

}  // namespace singa
