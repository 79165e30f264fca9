#include "driver/onnx/import/used_layers.h"

#include <algorithm>
#include <utility>

namespace singa {

void KeepUsedLayers(ImportedNet* net) {
  std::vector<char> used(net->layers.size());
  std::vector<int> open = {0};
  for (const LayerOutput& output : net->outputs) open.push_back(output.layer);
  while (!open.empty()) {
    const int next = open.back();
    open.pop_back();
    if (used[next]) continue;
    used[next] = true;
    for (const LayerOutput& source : net->layers[next].sources) open.push_back(source.layer);
  }
  std::vector<int> order;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) order.push_back(static_cast<int>(i));
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return net->layers[a].node < net->layers[b].node; });
  std::vector<int> place(used.size());
  std::vector<ImportedLayer> kept;
  for (int i : order) {
    place[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(net->layers[i]));
  }
  for (ImportedLayer& layer : kept)
    for (LayerOutput& source : layer.sources) source.layer = place[source.layer];
  for (LayerOutput& output : net->outputs) output.layer = place[output.layer];
  net->layers = std::move(kept);
}

}  // namespace singa
