// TeamRegions has the exchanges by which the workers of a team send regions of features to the
// workers of their group.
#pragma once

#include <deque>
#include <optional>

#include "comm/exchange/link_exchange.h"
#include "train/reduce/group_memory.h"
#include "train/trainer/worker_model.h"

namespace singa {

class TeamRegions {
 public:
  // `shared`: memory that the group shares with other processes, or null. `link`: to workers that
  // share no memory with those here. `group`: those who share it. All must outlive this.
  TeamRegions(const RegionSizes& sizes, const GroupMemory* shared, const WorkerLink& link,
              MemoryGroup* group);
  TeamRegions(const TeamRegions&) = delete;
  TeamRegions& operator=(const TeamRegions&) = delete;

  // Makes the exchange of one worker, which must outlive it.
  RegionExchange* Add(WorkerModel* worker);

 private:
  const RegionSizes sizes_;
  const WorkerLink link_;
  MemoryGroup& group_;
  std::optional<RegionBoard> own_;  // none: processes share the board
  const RegionBoard* const board_;
  std::deque<MemoryExchange> here_;
  std::deque<LinkExchange> linked_;  // none: all workers of the group share memory
};

}  // namespace singa
