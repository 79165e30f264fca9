#include "nn/plan/fuse.h"

namespace singa {
namespace {

// The nodes that produce and read a value; -1: none, -2: several.
struct Ends {
  int producer = -1, reader = -1;
  static void Join(int* end, int node) { *end = *end == -1 ? node : -2; }
};

std::vector<Ends> EndsOf(const std::vector<Node>& graph, size_t values) {
  std::vector<Ends> ends(values);
  for (size_t i = 0; i < graph.size(); ++i) {
    for (const Read& out : graph[i].out) Ends::Join(&ends[out.value].producer, int(i));
    for (const Read& in : graph[i].in) Ends::Join(&ends[in.value].reader, int(i));
  }
  return ends;
}

bool Whole(const Read& read, const ShapedValue& value) { return read.steps == value.steps; }

}  // namespace

void FuseReaders(std::deque<NetNode>* nodes, const std::vector<Node>& graph,
                 const std::vector<ShapedValue>& values) {
  const std::vector<Ends> ends = EndsOf(graph, values.size());
  for (size_t i = 0; i < graph.size(); ++i) {
    NetNode& node = (*nodes)[i];
    if (graph[i].in.size() != 1 || graph[i].out.size() != 1 || node.in_feedback ||
        node.conf.has_user_type() || !node.declared().params.empty())
      continue;
    const Read &in = graph[i].in[0], &out = graph[i].out[0];
    const Ends& source = ends[in.value];
    if (source.producer < 0 || source.reader < 0 || ends[out.value].producer < 0 ||
        !Whole(in, values[in.value]) || !Whole(out, values[out.value]))
      continue;
    NetNode& producer = (*nodes)[source.producer];
    if (producer.fused || producer.out.size() != 1 || producer.in_feedback ||
        !producer.layer->Fuse(node.conf))
      continue;
    producer.traits = producer.layer->traits();
    node.fused = true;
    node.traits = {.aliases_in = true};
  }
}

}  // namespace singa
