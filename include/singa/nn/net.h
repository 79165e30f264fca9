// Net: the layers of one worker for one phase, in forward order, on planned memory.
// Used by its worker's thread alone.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/nn/layer.h"

namespace singa {

// One layer object with its ports.
struct NetNode {
  int place = 0;          // in Net::nodes()
  std::string name;       // conf name, undecorated
  std::string full_name;  // <step>#<name>@<part>, the parts that say something
  std::string path;       // for errors: layer[fc1]
  LayerProto conf;
  Wiring wiring;
  Traits traits;
  int part = 0;
  std::unique_ptr<Layer> layer;
  std::deque<Port> in_ports, out_ports;
  std::vector<Port*> in, out;
  // Of a node on a device: its sources in the host's memory, where it checks them.
  std::deque<Port> checked_ports;
  std::vector<Port*> checked;
  std::unique_ptr<Declare> declare;
  bool runs_backward = false;
  bool fused = false;        // its source does its work: their features and gradients are one
  bool in_feedback = false;  // on a loop that a feedback slot closes (kRBMVis and kRBMHid)
  // Steps of output gradients that no reader gives: zeroed before this node's backward.
  struct Unread {
    Port* port;
    int64_t step, steps;  // of `steps` in the port
  };
  std::vector<Unread> unread;
  // Params whose gradient of a step is whole when this node's backward is done.
  std::vector<Param*> completes;
  // Those of them that this node alone uses, and whose gradient may go to a sink in pieces.
  std::vector<Param*> in_pieces;
};

// The layer that takes most of an arena, and what it takes. "": none takes any.
struct LargestLayer {
  std::string name;
  int64_t bytes = 0;
};

// Bytes of one net, known before anything is allocated.
struct NetMemory {
  int64_t arena = 0;         // features, gradients, buffers of a step, scratch
  int64_t host_arena = 0;    // of a net on a device, what lies with the host: pinned memory
  int64_t forever = 0;       // kForever buffers, metrics, batches read ahead or on their way
  int64_t host_forever = 0;  // those of them that lie with the host, of a net on a device
  int64_t unplanned = 0;     // what the arena would take without reuse
  LargestLayer largest, host_largest;  // of arena and host_arena

  // For another net, too, which computes at other times in the same arena.
  void Share(const NetMemory& other) {
    if (other.arena > arena) largest = other.largest;
    if (other.host_arena > host_arena) host_largest = other.host_largest;
    arena = std::max(arena, other.arena);
    host_arena = std::max(host_arena, other.host_arena);
    forever += other.forever;
    host_forever += other.host_forever;
  }
};

// Memory for a net's NetMemory, which another net may use between two passes.
struct NetArena {
  Tensor main;  // on the context's device
  Tensor host;  // empty where that is the host

  // Throws DeviceError, which names the largest layer of the side that is full; std::bad_alloc.
  SINGA_API static NetArena Allocate(const Context& ctx, const NetMemory& memory);
  bool Fits(const NetMemory& memory) const {
    return main.bytes() >= memory.arena && host.bytes() >= memory.host_arena;
  }
};

class SINGA_API Net {
 public:
  Net();
  ~Net();
  Net(Net&&) noexcept;
  Net& operator=(Net&&) noexcept;

  Phase phase() const { return phase_; }
  // Whether no layer reads time steps of another that come after its own.
  bool causal() const { return causal_; }
  std::deque<NetNode>& nodes() { return nodes_; }
  const std::deque<NetNode>& nodes() const { return nodes_; }
  NetNode* Find(const std::string& name);  // the first of that name; null: none

  // Time steps [step, step + steps) of output `output` of the node at place `node` of nodes(); of
  // one step, the only. node -1: another worker's.
  struct Source {
    int node = -1, output = 0;
    int step = 0, steps = 1;
  };
  // What each input of each node reads: nearly always of one node; where a layer runs as a node a
  // step, of several, in the order of time.
  std::vector<std::vector<std::vector<Source>>> Sources() const;

  // Makes the layers' plans and the memory plan; allocates no tensor.
  NetMemory Plan(const Context& ctx);
  // Binds the net to `arena`, which is large enough; allocates what lasts forever. REQUIRES: Plan.
  void Bind(const Context& ctx, NetArena arena);
  // Opens the input layers' stores. REQUIRES: Bind.
  void Open(const Context& ctx);

  // Before a pass that begins so many batches after the first record (Layer::BeginPass).
  void BeginPass(const Context& ctx, int64_t batches_before);
  void ComputeFeature(Context& ctx, NetNode& node, Phase flags);
  // Runs the node's gradient, if it has one to give, and counts its params' contributions.
  void ComputeGradient(Context& ctx, NetNode& node);
  // Before the first gradient of a step.
  void BeginStep();
  // Brings what the layers' metrics hold to the host: Metric::seen. Waits for the work before.
  void SeeMetrics(Context& ctx);
  void ClearMetrics(Context& ctx);

  // (producer, reader) by their places in nodes(), in the order of the readers.
  std::vector<std::pair<int, int>> Edges() const;

  // Records in one pass over the net's stores; -1: it has none. Opens them. Throws ConfigError
  // relative to the JobProto where two stores differ.
  int64_t CountRecords();

  // Names of the classes, from the first reader that has any (RecordReader::ClassNames). Waits
  // until its store is open.
  std::vector<std::string> ClassNames();

  // Records that input layers have skipped as bad, by layer and rising; only layers that have any.
  std::vector<std::pair<std::string, std::vector<int64_t>>> BadRecords() const;
  void RestoreBadRecords(const std::string& layer, const std::vector<int64_t>& records);

  // The rows of the whole group's batch.
  int64_t batch() const;

  // What follows is known after Plan.

  // For people, what the host does in a step that does not come before all that the device does.
  // "": nothing: it reads records and makes batches of them, and has no params, metrics or
  // gradients.
  std::string HostsPart() const;
  // What the host does in a step alone, checks among it; and, while a DeviceOnly lives, nothing of
  // it. REQUIRES: HostsPart() is "".
  void ComputeOnHost(Context& ctx, Phase flags);
  bool device_only() const { return device_only_; }
  class DeviceOnly {
   public:
    explicit DeviceOnly(Net* net) : net_(net) { net_->device_only_ = true; }
    ~DeviceOnly() { net_->device_only_ = false; }
    DeviceOnly(const DeviceOnly&) = delete;

   private:
    Net* const net_;
  };
  // Whether the node computes on the context's device, if that is not the host.
  bool OnDevice(const NetNode& node) const;
  // `ctx` as the node needs it: the device's, or the host's.
  Context ContextOf(const NetNode& node, const Context& ctx) const;

 private:
  friend class NetBuilder;
  friend class NetTransfers;
  // File and number of the record that gave row `row` of the labels that `node` reads; ("", -1): no
  // store did.
  std::pair<std::string, int64_t> RecordOfLabel(const NetNode& node, int64_t row) const;
  // The same of the index that `node` reads.
  std::pair<std::string, int64_t> RecordOfIndex(const NetNode& node, int64_t row) const;

  void Check(Context& ctx, NetNode& node, Phase flags);
  LargestLayer LargestOn(bool device) const;
  int64_t ForeverBytes(bool on_device) const;

  struct Storage;

  Phase phase_ = kTrain;
  bool reuse_ = true;
  bool causal_ = true;
  bool device_only_ = false;
  std::deque<NetNode> nodes_;
  std::unique_ptr<Storage> storage_;
};

}  // namespace singa
