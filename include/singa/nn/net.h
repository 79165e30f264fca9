// Net runs the layers of one worker for one phase, in forward order, on planned memory. Only the
// worker's thread uses it.
//
// BuildNet makes a net from a NetProto, PrepareNet plans its memory, and OpenNet makes it ready for
// passes (src/nn/plan). An Algorithm gets nets that are open.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "singa/nn/net_node.h"

namespace singa {

struct NetLayout;

class SINGA_API Net {
 public:
  Net();  // without nodes
  // `causal`: whether no time step depends on a later one. `layout` describes `nodes`.
  Net(Phase phase, bool causal, std::deque<NetNode> nodes, std::unique_ptr<NetLayout> layout);
  ~Net();
  Net(Net&&) noexcept;
  Net& operator=(Net&&) noexcept;

  Phase phase() const { return phase_; }
  bool causal() const { return causal_; }
  std::deque<NetNode>& nodes() { return nodes_; }
  const std::deque<NetNode>& nodes() const { return nodes_; }
  NetNode* Find(const std::string& name);  // the first node of that name, or null
  // Returns the rows of the whole group's batch.
  int64_t batch() const { return InputSpan().batch; }
  // Returns this worker's rows of each batch.
  int64_t rows() const { return InputSpan().rows; }

  // Calls Layer::BeginPass. The pass begins `batches_before` batches after the first record.
  void BeginPass(const Context& ctx, int64_t batches_before);
  void ComputeFeature(Context& ctx, NetNode& node, Phase flags);
  // Computes the node's gradients, if it runs backward, and counts its params' contributions.
  void ComputeGradient(Context& ctx, NetNode& node);
  // Calls Param::BeginStep of all params, unless gradients are added to those of the last batch.
  // Called before the first gradient of a batch.
  void BeginStep();
  void set_adds_gradients(bool adds_gradients) { adds_gradients_ = adds_gradients; }
  // Copies the layers' metrics to Metric::seen on the host. Waits for all earlier work of the
  // stream.
  void SeeMetrics(Context& ctx);
  void ClearMetrics(Context& ctx);

  // While this is true, ComputeFeature leaves out the host's work (nn/plan/host_part.h).
  bool device_only() const { return device_only_; }
  void set_device_only(bool device_only) { device_only_ = device_only; }

  // Where the tensors lie, for the functions of src/nn/plan.
  NetLayout& layout() { return *layout_; }
  const NetLayout& layout() const { return *layout_; }

 private:
  RowSpan InputSpan() const;

  Phase phase_ = kTrain;
  bool causal_ = true;
  bool device_only_ = false;
  bool adds_gradients_ = false;
  std::deque<NetNode> nodes_;
  std::unique_ptr<NetLayout> layout_;
};

}  // namespace singa
