#include "driver/plan/part_memory.h"

namespace singa {

PartMemory MemoryOf(const Trainer& worker) {
  const MemoryUse use = worker.memory().host;
  PartMemory memory{.shared = use.updater};
  if (worker.model().place().first_sharing())
    for (const Param* param : worker.model().trained().params) memory.shared += param->data.bytes();
  memory.own = use.total() - memory.shared;
  return memory;
}

}  // namespace singa
