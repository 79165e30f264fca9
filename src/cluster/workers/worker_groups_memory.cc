// WorkerGroups allocates memory, and shares it with other processes.
#include "cluster/workers/worker_groups.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {

JobMemory WorkerGroups::memory() const {
  JobMemory sum;
  for (const auto& [group, team] : teams_)
    if (HasWorkers()) sum.Add(team->memory());
  if (!served_) return sum;
  Trainer& first = teams_.begin()->second->lead();
  int64_t values = 0;  // bytes of each group's values; the first group's are counted already
  for (const Param* param : first.trained())
    values += param->size() * static_cast<int64_t>(sizeof(float));
  const auto copies = static_cast<int64_t>(here().size());
  sum.host.params += values * (copies - static_cast<int64_t>(HasWorkers() && teams_.count(0)));
  sum.host.updater += served_->bytes(values, static_cast<int64_t>(replica_.state_count()));
  sum.host.gradients += served_->codec_bytes(values / static_cast<int64_t>(sizeof(float)));
  return sum;
}

void WorkerGroups::Allocate() {
  memory().Check();
  if (!HasWorkers()) return;
  if (shares_host()) return AllocateShared();
  const int first = teams_.begin()->first;
  for (const auto& [group, team] : teams_)
    team->Allocate(served_ || group == first ? nullptr : &lead());
  if (served_) replica_.Bind(lead().table(), lead().trained());
}

void WorkerGroups::AllocateShared() {
  const auto states = static_cast<int>(replica_.state_count());
  const int64_t bytes = GroupMemory(lead().table(), job_workers_, states, nullptr, 0).bytes();
  const bool makes = !host_memory_;
  if (makes) host_memory_ = std::make_unique<HostMemory>(bytes);
  if (host_memory_->bytes() != bytes)
    throw Error(kExitConfig,
                StrCat("process 0 shares ", host_memory_->bytes(), " bytes, this one needs ", bytes,
                       ": it runs another job.conf"));
  group_memory_.emplace(lead().table(), job_workers_, states, host_memory_->data(),
                        makes ? lead().ctx().threads : 0);
  team(0).Allocate(nullptr, &*group_memory_);
  local_[0]->Share(group_memory_->verdict());
}

void WorkerGroups::TellMemory() {
  if (!shares_host()) return;
  const HostMemory::Place place = host_memory_->place();
  ControlMessage control;
  ControlMessage::Memory* const memory = control.mutable_memory();
  memory->set_process_id(place.process);
  memory->set_file_descriptor(place.descriptor);
  memory->set_bytes(place.bytes);
  memory->set_mark(place.mark);
  process_->leader()->TellAll(control);
}

std::unique_ptr<HostMemory> FindMemory(const ControlMessage::Memory& told) {
  constexpr int64_t kMost = int64_t{1} << 50;  // bytes
  if (told.process_id() <= 0 || !told.has_file_descriptor() || told.bytes() <= 0 ||
      told.bytes() > kMost || !told.has_mark())
    throw PeerError("process 0 does not say where its memory is");
  return std::make_unique<HostMemory>(
      HostMemory::Place{told.process_id(), told.file_descriptor(), told.bytes(), told.mark()});
}

}  // namespace singa
