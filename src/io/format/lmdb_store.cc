// Backend "lmdb": Caffe's databases of Datums. A record's index is its place in the order of keys.
#include "io/format/lmdb_index.h"
#include "io/format/value_store.h"

namespace singa {
namespace {

[[maybe_unused]] const bool registered =
    Stores().Add("lmdb", [](const StoreOptions& options) -> std::unique_ptr<Store> {
      InputFile file = OpenLmdbFile(options.path);
      std::vector<ValuePlace> values = IndexLmdb(file);
      return std::make_unique<ValueStore>(std::move(file), std::move(values),
                                          NewDatumParser(options.channels));
    });

}  // namespace
}  // namespace singa
