#include "singa/nn/record_reader.h"

namespace singa {

int64_t RecordReader::BatchSize(const LayerProto& conf) const {
  int64_t batch = 0;
  for (int32_t rows : conf.store_conf().batchsize()) batch += rows;
  return batch;
}

void RecordReader::SetBatchSize(int32_t rows, LayerProto* conf) const {
  if (!conf->has_store_conf()) return;
  conf->mutable_store_conf()->clear_batchsize();
  conf->mutable_store_conf()->add_batchsize(rows);
}

std::string RecordReader::VocabularyPath(const LayerProto&) const { return ""; }

}  // namespace singa
