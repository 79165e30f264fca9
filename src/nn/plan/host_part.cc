#include "nn/plan/host_part.h"

#include "nn/plan/check_inputs.h"
#include "nn/plan/net_layout.h"
#include "nn/plan/net_transfers.h"
#include "singa/base/str_cat.h"

namespace singa {

std::string WhyHostWorks(const Net& net) {
  const NetTransfers transfers(net.nodes(), net.layout());
  for (const NetNode& node : net.nodes()) {
    const bool reads_device = !node.traits.aliases_in && transfers.ReadsDevice(node.place);
    if (reads_device && node.on_device)
      return "the host checks labels or indices that a layer on the GPU makes";
    if (node.on_device) continue;
    if (reads_device || node.runs_backward || !node.declared().params.empty() ||
        !node.declared().metrics.empty())
      return StrCat("layer \"", node.name, "\" runs on the host, and does more than read records");
  }
  return "";
}

void ComputeOnHost(Context& ctx, Phase flags, Net* net) {
  for (NetNode& node : net->nodes()) {
    if (!node.on_device) {
      net->ComputeFeature(ctx, node, flags);
    } else if (!node.fused) {
      net->layout().transfers[node.place].BeforeFeature(ctx);
      CheckInputs(*net, node, flags);
    }
  }
}

}  // namespace singa
