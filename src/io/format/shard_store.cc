// Backend "shard", for kShardData, reads a kvfile, or the folder of a shard.dat, whose values are
// Records with an image each.
#include "io/format/kvfile_store.h"
#include "io/format/record_parsers.h"

namespace singa {
namespace {

std::unique_ptr<Store> OpenShard(const StoreOptions& options) {
  return NewKvFileStore(options, NewWrappedRecordParser(options));
}

SINGA_REGISTER_STORE(shard, OpenShard, .encoded = Encoded::kIgnored,
                     .known_as = "sharddata datashard");

}  // namespace
}  // namespace singa
