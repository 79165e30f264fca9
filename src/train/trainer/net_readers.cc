#include "train/trainer/net_readers.h"

#include <set>

#include "singa/nn/record_reader.h"

namespace singa {

double NetReaders::TakeWaitMs() {
  double wait_ms = 0;
  for (NetNode& node : net_->nodes())
    if (RecordReader* reader = node.layer->reader()) wait_ms += reader->TakeWaitMs();
  return wait_ms;
}

NetReaders::Positions NetReaders::positions() const {
  Positions positions;
  std::set<std::string> seen;  // copies of an unrolled layer have one position
  for (const NetNode& node : net_->nodes())
    if (const RecordReader* reader = node.layer->reader(); reader && seen.insert(node.name).second)
      positions.emplace_back(node.name, reader->Position());
  return positions;
}

void NetReaders::Seek(const Positions& positions) {
  for (const auto& [name, position] : positions)
    for (NetNode& node : net_->nodes())
      if (RecordReader* reader = node.layer->reader(); reader && node.name == name)
        reader->Seek(position);
}

bool NetReaders::Skip(int64_t steps) {
  for (NetNode& node : net_->nodes()) {
    RecordReader* const reader = node.layer->reader();
    if (!reader || steps == 0) continue;
    if (reader->Stride() == 0) return false;
    reader->Seek(reader->Position() + steps * reader->Stride());
  }
  return true;
}

}  // namespace singa
