#include "io/mean_record.h"

#include "io/file/new_file.h"
#include "io/format/kv_tuple.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {

void WriteMeanRecord(Store* store, std::vector<int32_t> shape, const std::string& path,
                     FileSystem* files) {
  std::vector<double> sums;
  const std::vector<int32_t> own = RecordShape(store);
  const std::vector<int64_t> first(own.begin(), own.end());
  if (shape.empty()) shape = own;
  for (int64_t i = 0; i < store->size(); ++i) {
    const Sample& sample = store->Read(i);
    if (i == 0) sums.resize(sample.size());
    const std::string misfit = sample.Misfit(first, "the first record has");
    if (!misfit.empty()) throw DataError(store->Where(i), -1, misfit);
    for (size_t j = 0; j < sums.size(); ++j)
      sums[j] += sample.data.empty() ? sample.pixel[j] : sample.data[j];
  }
  RecordProto record;
  for (int32_t size : shape) record.add_shape(size);
  for (double sum : sums)
    record.add_data(static_cast<float>(sum / static_cast<double>(store->size())));
  NewFile file(files, path);
  file.Write(KvTuple("mean", record.SerializeAsString()));
  file.Commit();
}

}  // namespace singa
