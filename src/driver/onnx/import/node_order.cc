#include "driver/onnx/import/node_order.h"

#include <functional>
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "io/checkpoint/json_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class NodeOrder {
 public:
  NodeOrder(const std::string& file, const OnnxModel& model) : file_(file), model_(model) {
    for (const OnnxTensor& tensor : model.constants) given_.emplace(tensor.name, kGraph);
    for (const OnnxValueInfo& input : model.inputs) given_.emplace(input.name, kGraph);
    for (int i = 0; i < size(); ++i)
      for (const std::string& output : model.nodes[i].outputs)
        if (!output.empty() && !given_.emplace(output, i).second)
          Fail(StrCat(model.nodes[i].Text(), " gives ", Quote(output),
                      ", which another node, an input or a constant gives, too"));
    for (const OnnxValueInfo& output : model.outputs)
      if (!given_.contains(output.name)) Fail(StrCat("no node gives output ", Quote(output.name)));
  }

  // Returns the nodes' indices in order.
  std::vector<int> Sorted() const {
    std::vector<std::vector<int>> readers(size());
    std::vector<int> waits_for(size()), order;
    for (int i = 0; i < size(); ++i)
      for (int source : SourcesOf(i)) {
        readers[source].push_back(i);
        ++waits_for[i];
      }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < size(); ++i)
      if (waits_for[i] == 0) ready.push(i);
    while (!ready.empty()) {
      const int next = ready.top();
      ready.pop();
      order.push_back(next);
      for (int reader : readers[next])
        if (--waits_for[reader] == 0) ready.push(reader);
    }
    for (int i = 0; i < size(); ++i)
      if (waits_for[i] > 0)
        Fail(StrCat("the graph has a cycle; ", model_.nodes[i].Text(),
                    " is in it, or reads a node of it"));
    return order;
  }

 private:
  static constexpr int kGraph = -1;  // an input or a constant, not a node

  [[noreturn]] void Fail(const std::string& message) const { throw DataError(file_, -1, message); }

  int size() const { return static_cast<int>(model_.nodes.size()); }

  std::set<int> SourcesOf(int i) const {
    std::set<int> sources;
    for (const std::string& input : model_.nodes[i].inputs) {
      if (input.empty()) continue;
      const auto giver = given_.find(input);
      if (giver == given_.end())
        Fail(StrCat(model_.nodes[i].Text(), " reads ", Quote(input), ", which nothing gives"));
      if (giver->second != kGraph) sources.insert(giver->second);
    }
    return sources;
  }

  const std::string& file_;
  const OnnxModel& model_;
  std::map<std::string, int> given_;  // value -> the node that gives it
};

}  // namespace

void SortNodes(const std::string& file, OnnxModel* model) {
  std::vector<OnnxNode> sorted;
  for (int i : NodeOrder(file, *model).Sorted()) sorted.push_back(std::move(model->nodes[i]));
  model->nodes = std::move(sorted);
}

}  // namespace singa
