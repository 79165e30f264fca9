#include "cluster/workers/host_memory_backend.h"

#include <utility>

#include "cluster/protocol/worker_places.h"
#include "cluster/workers/worker_teams.h"
#include "nn/connection/bridge.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

std::unique_ptr<HostMemory> FindMemory(const ControlMessage::Memory& told) {
  constexpr int64_t kMost = int64_t{1} << 50;  // bytes
  if (told.process_id() <= 0 || !told.has_file_descriptor() || told.bytes() <= 0 ||
      told.bytes() > kMost || !told.has_mark())
    throw PeerError("process 0 does not say where its memory is");
  return std::make_unique<HostMemory>(
      HostMemory::Place{told.process_id(), told.file_descriptor(), told.bytes(), told.mark()});
}

HostMemoryBackend::HostMemoryBackend(const SyncSetup& setup, std::unique_ptr<HostMemory> shared)
    : setup_(setup),
      memory_(std::move(shared)),
      updates_(setup.job, setup.replica,
               [this](int worker) { return PlaceOf(setup_.plan.topology, 0, worker); }) {}

TeamSync HostMemoryBackend::SyncOf(int) { return {.updates = &updates_, .shares_host = true}; }

void HostMemoryBackend::Allocate(WorkerTeams* teams) {
  WorkerModel& lead = teams->lead().model();
  const int workers = setup_.job.cluster().nworkers_per_group();
  const auto states = static_cast<int>(setup_.replica->state_count());
  const RegionSizes regions = SizesOfBridges(lead.net().nodes(), workers);
  const int64_t bytes =
      GroupMemory(lead.trained().table, workers, states, nullptr, 0, regions).bytes();
  const bool makes = !memory_;
  if (makes) memory_ = std::make_unique<HostMemory>(bytes);
  if (memory_->bytes() != bytes)
    throw Error(kExitConfig, StrCat("process 0 shares ", memory_->bytes(),
                                    " bytes of memory, and this process needs ", bytes,
                                    ": the two run different job.conf files"));
  group_memory_.emplace(lead.trained().table, workers, states, memory_->data(),
                        makes ? lead.ctx().threads : 0, regions);
  teams->team(0).Allocate(nullptr, &*group_memory_);
  updates_.Share(group_memory_->verdict());
}

void HostMemoryBackend::TellMemory() {
  const HostMemory::Place place = memory_->place();
  ControlMessage control;
  ControlMessage::Memory* const memory = control.mutable_memory();
  memory->set_process_id(place.process);
  memory->set_file_descriptor(place.descriptor);
  memory->set_bytes(place.bytes);
  memory->set_mark(place.mark);
  setup_.process->leader()->TellAll(control);
}

void HostMemoryBackend::Stop(WorkerTeams* teams) { teams->Stop(); }

}  // namespace singa
