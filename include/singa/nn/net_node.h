// NetNode is one layer of a net: the layer object, its ports, and facts about its place in the net.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "singa/nn/layer.h"

namespace singa {

// One layer object with its ports.
struct NetNode {
  int place = 0;          // index in Net::nodes()
  std::string name;       // conf name, undecorated
  std::string full_name;  // <step>#<name>@<part>; step and part only if there are several
  std::string path;       // place in the conf, for errors: layer[fc1]
  LayerProto conf;
  Wiring wiring;
  Traits traits;
  int part = 0;
  bool bridge = false;  // an end of a bridge between layers that workers divide differently
  std::unique_ptr<Layer> layer;
  std::deque<Port> in_ports, out_ports;
  std::vector<Port*> in, out;
  // Ports that CheckInputs reads. For a node on a device, checked_ports are its sources in the
  // host's memory.
  std::deque<Port> checked_ports;
  std::vector<Port*> checked;
  std::unique_ptr<Declare> declare;
  bool on_device = false;  // it computes on a device other than the host; known after PrepareNet
  bool runs_backward = false;
  bool fused = false;        // its source does its work; both have one feature and gradient
  bool in_feedback = false;  // on a loop that a feedback slot closes (kRBMVis and kRBMHid)
  // Time steps of an output's gradient that no reader gives. They are zeroed before this node's
  // backward.
  struct Unread {
    Port* port;
    int64_t step, steps;  // this step of the port's `steps`
  };
  std::vector<Unread> unread;
  // Params whose gradient is complete when this node's backward is done.
  std::vector<Param*> completes;
  // Params among them that only this node uses and whose gradient may go to a sink in pieces.
  std::vector<Param*> in_pieces;

  Declared& declared() { return declare->declared(); }
  const Declared& declared() const { return declare->declared(); }
  // Returns whether LayerProto.loss_weight has an effect. Both sides of an RBM originate gradients
  // of their params, but are no losses.
  bool is_loss() const { return traits.originates_gradient && !in_feedback; }
  // Returns `ctx` for a node on the device, and ctx.ForHost() for a node on the host.
  Context ContextOf(const Context& ctx) const { return on_device ? ctx : ctx.ForHost(); }
};

}  // namespace singa
