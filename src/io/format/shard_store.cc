// Backend "shard": what kShardData reads: a kvfile, or the folder of a shard.dat, whose values are
// Records with an image each.
#include "io/format/kvfile_store.h"
#include "io/format/value_parser.h"

namespace singa {
namespace {

[[maybe_unused]] const bool registered =
    Stores().Add("shard", [](const StoreOptions& options) -> std::unique_ptr<Store> {
      return NewKvFileStore(options, NewWrappedRecordParser(options));
    });

}  // namespace
}  // namespace singa
