#include "cluster/workers/team_regions.h"

namespace singa {
namespace {

SumNode Here(const MemoryGroup& group) { return {group.first(), group.first() + group.size()}; }

}  // namespace

TeamRegions::TeamRegions(const RegionSizes& sizes, const GroupMemory* shared,
                         const WorkerLink& link, MemoryGroup* group)
    : sizes_(sizes),
      link_(link),
      group_(*group),
      board_(shared ? &shared->regions() : &own_.emplace(sizes, Here(*group))) {
  if (!link_.link) return;
  link_.link->Reserve(LinkExchange::MostUnderWay(link_, sizes_));
}

RegionExchange* TeamRegions::Add(WorkerModel* worker) {
  const int number = worker->place().worker;
  MemoryExchange& here = here_.emplace_back(board_, &group_, number, &worker->mark());
  if (!link_.link) return &here;
  return &linked_.emplace_back(&here, link_, sizes_, number, &worker->mark());
}

}  // namespace singa
