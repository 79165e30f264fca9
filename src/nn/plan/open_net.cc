#include "nn/plan/open_net.h"

#include <set>
#include <string>
#include <utility>

#include "nn/net_readers.h"
#include "nn/plan/bind_net.h"
#include "nn/plan/under_layer.h"
#include "singa/base/error.h"

namespace singa {

void OpenNet(const Context& ctx, NetArena arena, Net* net) {
  BindNet(ctx, std::move(arena), net);
  for (NetNode& node : net->nodes()) {
    Context own = node.ContextOf(ctx);
    try {
      node.layer->Open(own);
    } catch (const ConfigError& error) {
      throw error.Under(node.path).Under("neuralnet");
    } catch (const DeviceError& error) {
      throw UnderLayer(node, error);
    }
  }
  std::set<std::string> inputs;
  for (const NetNode& node : net->nodes())
    if (node.wiring.is_input) inputs.insert(node.name);
  if (inputs.size() > 1) NetReaders(net).CountRecords();  // throws if they differ
}

}  // namespace singa
