#include "nn/net_readers.h"

#include <set>

#include "base/text/counted.h"
#include "singa/base/error.h"
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

int64_t NetReaders::CountRecords() {
  const NetNode* first = nullptr;
  int64_t records = -1;
  for (const NetNode& node : net_->nodes()) {
    RecordReader* const reader = node.layer->reader();
    const int64_t count = reader ? reader->CountRecords() : -1;
    if (count < 0) continue;
    const auto& files = node.declared().files;  // the first is the store
    if (first && count != records)
      throw ConfigError(
          StrCat("neuralnet.", node.path, files.empty() ? "" : "." + files.front().first),
          StrCat("has ", Counted(count, "record"), ", that of layer \"", first->name, "\" ",
                 records, ": record i of one input layer meets record i of the others"));
    first = &node;
    records = count;
  }
  return records;
}

std::vector<std::string> NetReaders::ClassNames() {
  for (NetNode& node : net_->nodes()) {
    RecordReader* const reader = node.layer->reader();
    if (!reader) continue;
    if (std::vector<std::string> names = reader->ClassNames(); !names.empty()) return names;
  }
  return {};
}

NetReaders::Records NetReaders::BadRecords() const {
  Records found;
  std::set<std::string> seen;  // copies of an unrolled layer read the same records
  for (const NetNode& node : net_->nodes()) {
    const RecordReader* const reader = node.layer->reader();
    if (!reader) continue;
    std::vector<int64_t> bad = reader->BadRecords();
    if (!bad.empty() && seen.insert(node.name).second)
      found.emplace_back(node.name, std::move(bad));
  }
  return found;
}

void NetReaders::RestoreBadRecords(const std::string& layer, const std::vector<int64_t>& records) {
  for (NetNode& node : net_->nodes())
    if (RecordReader* reader = node.layer->reader(); reader && node.name == layer)
      reader->RestoreBadRecords(records);
}

}  // namespace singa
