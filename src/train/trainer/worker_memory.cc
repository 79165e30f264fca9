#include "train/trainer/worker_memory.h"

#include <set>

#include "comm/exchange/gpu_exchange.h"
#include "comm/exchange/region_board.h"
#include "nn/connection/bridge.h"
#include "train/device/gpu_compression.h"
#include "train/device/part_sums.h"

namespace singa {
namespace {

// The memory that is not in tensors, for each node of a net: the objects of layers and exchanges,
// code that oneDNN generates, and blocks that its products leave in the heap. A fit to the
// trainings of test/bench/plan_accuracy.py.
constexpr int64_t kNodeBytes = 24 << 10;

// Counts values and updater states with the first of the workers that share them.
MemoryUse ParamMemory(const CountedWorker& worker) {
  const bool first = worker.place.group == 0 && worker.place.first_sharing();
  const int64_t states = first ? worker.states : 0;
  MemoryUse use;
  for (const auto& param : worker.params.params())
    if (first || !param->trains()) use.params += param->data.bytes();
  bool common_pieces = false, own_pieces = false;
  for (size_t i = 0; i < worker.trained.params.size(); ++i) {
    use.updater += states * worker.trained.params[i]->data.bytes();
    if (!worker.trained.in_pieces[i])
      use.gradients += worker.trained.own[i]->data.bytes();
    else
      (worker.trained.own[i]->is_part() ? own_pieces : common_pieces) = true;
  }
  use.gradients += worker.pieces.bytes(common_pieces, own_pieces);
  return use;
}

// Returns the worker's part of the memory by which regions of features are offered.
int64_t RegionMemory(const CountedWorker& worker) {
  const int workers = worker.place.workers, here = worker.place.here;
  if (worker.place.gpus) return 0;
  const RegionSizes regions = SizesOfBridges(worker.nets[0]->nodes(), workers);
  if (!worker.place.shares_host) return RegionBoard::Bytes(regions, {0, here}) / here;
  MemoryLayout layout(nullptr);
  const RegionBoard board(regions, &layout);
  return layout.bytes() / workers;
}

// Returns the bytes of a GPU for features and gradients of other workers.
int64_t TransferMemory(const CountedWorker& worker) {
  const WorkerPlace& place = worker.place;
  int64_t bytes =
      GpuExchange::Bytes(SizesOfBridges(worker.nets[0]->nodes(), place.workers), place.worker);
  for (size_t i = 0; i < worker.trained.own.size(); ++i)
    if (const Contributors& by = worker.trained.by[i]; !by.all())
      bytes += PartSums::Floats(worker.trained.own[i]->size(), by.count) *
               static_cast<int64_t>(sizeof(float));
  return bytes +
         CompressionOf(worker.all_reduce)
             .MessageBytes({worker.all_reduce, worker.trained, worker.states}, place.gpus->members);
}

void CountDevice(const CountedWorker& worker, JobMemory* memory) {
  MemoryUse &host = memory->host, &gpu = memory->gpus;
  std::set<const Param*> there;
  for (const Net* net : worker.nets)
    for (const NetNode& node : net->nodes())
      if (node.on_device)
        there.insert(node.declared().params.begin(), node.declared().params.end());
  for (const Param* param : there) gpu.params += param->data.bytes();
  for (const Param* param : worker.trained.own)
    if (there.count(param)) gpu.gradients += param->data.bytes();
  gpu.forever += worker.workspace;  // other streams only copy and add up
  host.forever = worker.memory.host_forever;
  host.pinned = worker.memory.host_arena;
  if (worker.updates_on_device) {
    gpu.updater = worker.states * gpu.gradients;
    host.gradients = 0;
    if (worker.place.gpus) gpu.forever += TransferMemory(worker);
    if (worker.place.sender)
      gpu.updater += CompressionOf(worker.all_reduce)
                         .GpuStateFloats({worker.all_reduce, worker.trained, worker.states,
                                          worker.place.sender->momentum}) *
                     static_cast<int64_t>(sizeof(float));
  } else {
    host.pinned += gpu.params + gpu.gradients;
  }
}

}  // namespace

JobMemory CountMemory(const CountedWorker& worker) {
  JobMemory memory;
  memory.host = ParamMemory(worker);
  MemoryUse& use = worker.on_device ? memory.gpus : memory.host;
  use.arena = worker.memory.arena;
  use.unplanned = worker.memory.unplanned;
  use.forever = worker.memory.forever;
  if (worker.on_device) CountDevice(worker, &memory);
  memory.host.forever += RegionMemory(worker);
  for (const Net* net : worker.nets)
    memory.host.objects += kNodeBytes * static_cast<int64_t>(net->nodes().size());
  return memory;
}

}  // namespace singa
