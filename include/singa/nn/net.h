// Net holds the layers of one worker for one phase, in forward order, on planned memory. Only the
// worker's thread uses it.
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
  int place = 0;          // index in Net::nodes()
  std::string name;       // conf name, undecorated
  std::string full_name;  // <step>#<name>@<part>; step and part only if there are several
  std::string path;       // place in the conf, for errors: layer[fc1]
  LayerProto conf;
  Wiring wiring;
  Traits traits;
  int part = 0;
  std::unique_ptr<Layer> layer;
  std::deque<Port> in_ports, out_ports;
  std::vector<Port*> in, out;
  // Ports that CheckInputs reads. For a node on a device, checked_ports are its sources in the
  // host's memory.
  std::deque<Port> checked_ports;
  std::vector<Port*> checked;
  std::unique_ptr<Declare> declare;
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
};

// The layer that needs most of an arena, and its bytes. "": no layer needs any.
struct LargestLayer {
  std::string name;
  int64_t bytes = 0;
};

// Memory needs of one net in bytes, known before anything is allocated.
struct NetMemory {
  int64_t arena = 0;         // features, gradients, buffers of a step, scratch
  int64_t host_arena = 0;    // pinned memory of the host that a net on a device needs
  int64_t forever = 0;       // kForever buffers, metrics, batches read ahead or being copied
  int64_t host_forever = 0;  // the part of these on the host, for a net on a device
  int64_t unplanned = 0;     // size of the arena without reuse
  LargestLayer largest, host_largest;  // in arena and host_arena

  // Adds the needs of another net that uses the same arena at other times.
  void ShareArena(const NetMemory& other) {
    if (other.arena > arena) largest = other.largest;
    if (other.host_arena > host_arena) host_largest = other.host_largest;
    arena = std::max(arena, other.arena);
    host_arena = std::max(host_arena, other.host_arena);
    forever += other.forever;
    host_forever += other.host_forever;
  }
};

// Memory of a net's features and gradients. Another net may use it between two passes.
struct NetArena {
  Tensor main;  // memory of the context's device
  Tensor host;  // pinned memory; empty if the context's device is the host

  // Throws std::bad_alloc, or DeviceError, which names the layer that needs most of the full
  // memory.
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
  // Returns whether no time step depends on a later one.
  bool causal() const { return causal_; }
  std::deque<NetNode>& nodes() { return nodes_; }
  const std::deque<NetNode>& nodes() const { return nodes_; }
  NetNode* Find(const std::string& name);  // the first node of that name, or null

  // Time steps [step, step + steps) of output `output` of nodes()[node]. An output without time
  // steps has one step. node -1: another worker computes it.
  struct Source {
    int node = -1, output = 0;
    int step = 0, steps = 1;
  };
  // Returns the sources of each input of each node. An input has several sources, in the order of
  // time, if a layer runs as one node for each step.
  std::vector<std::vector<std::vector<Source>>> Sources() const;

  // Calls the layers' Prepare and plans the memory. Allocates no tensor.
  NetMemory Plan(const Context& ctx);
  // Binds the net to `arena`, and allocates kForever buffers and metrics. REQUIRES: Plan was
  // called, and `arena` Fits.
  void Bind(const Context& ctx, NetArena arena);
  // Calls the layers' Open, which opens stores. REQUIRES: Bind was called.
  void Open(const Context& ctx);

  // Calls Layer::BeginPass. The pass begins `batches_before` batches after the first record.
  void BeginPass(const Context& ctx, int64_t batches_before);
  void ComputeFeature(Context& ctx, NetNode& node, Phase flags);
  // Computes the node's gradients, if it runs backward, and counts its params' contributions.
  void ComputeGradient(Context& ctx, NetNode& node);
  // Calls Param::BeginStep of all params. Called before the first gradient of a step.
  void BeginStep();
  // Copies the layers' metrics to Metric::seen on the host. Waits for all earlier work of the
  // stream.
  void SeeMetrics(Context& ctx);
  void ClearMetrics(Context& ctx);

  // Returns the pairs (producer, reader) as indices in nodes(), in the order of the readers.
  std::vector<std::pair<int, int>> Edges() const;

  // Returns the number of records in one pass over the net's stores, or -1 if it has none. Opens
  // the stores. Throws ConfigError relative to the JobProto if two stores differ.
  int64_t CountRecords();

  // Returns the names of the classes, from the first reader that has any
  // (RecordReader::ClassNames). Waits until its store is open.
  std::vector<std::string> ClassNames();

  // Returns, for each input layer that skipped bad records, its name and their numbers in rising
  // order.
  std::vector<std::pair<std::string, std::vector<int64_t>>> BadRecords() const;
  void RestoreBadRecords(const std::string& layer, const std::vector<int64_t>& records);

  // Returns the rows of the whole group's batch.
  int64_t batch() const;

  // The functions below need the result of Plan.

  // Says, in words for the user, why the host has to work in the middle of a step, after work of
  // the device. Returns "" if the host only makes batches of records.
  std::string WhyHostWorks() const;
  // Does the host's work of a step: features of nodes on the host, and checks of inputs. While a
  // DeviceOnly exists, ComputeFeature leaves this work out. REQUIRES: WhyHostWorks() is "".
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
  // Returns whether the node computes on a device other than the host.
  bool OnDevice(const NetNode& node) const;
  // Returns `ctx` for a node on the device, and ctx.ForHost() for a node on the host.
  Context ContextOf(const NetNode& node, const Context& ctx) const;

 private:
  friend class NetBuilder;
  friend class NetTransfers;
  // Returns file and number of the record that gave row `row` of the labels that `node` reads; ("",
  // -1) if no store did.
  std::pair<std::string, int64_t> RecordOfLabel(const NetNode& node, int64_t row) const;
  // Returns file and number of the record that gave row `row` of the indices that `node` reads.
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
