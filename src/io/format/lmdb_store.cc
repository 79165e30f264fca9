// Backend "lmdb" reads Caffe's databases of Datums. A record's index is its place in the order of
// keys.
#include <optional>
#include <utility>

#include "io/format/lmdb_index.h"
#include "io/format/record_parsers.h"
#include "io/format/value_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Refuses raw Datums and image files in one database if the conf does not give the raw ones' colour
// order, as the two kinds would differ.
class LmdbStore final : public ValueStore {
 public:
  LmdbStore(InputFile file, std::vector<ValuePlace> values, const StoreOptions& options)
      : ValueStore(std::move(file), std::move(values), NewDatumParser(options.channels)) {
    if (options.colours != ColourOrder::kNotSaid || options.channels != 3) return;
    try {
      const Sample& first = ValueStore::Read(0);
      if (IsInColour(first)) first_is_decoded_ = first.decoded;
    } catch (const DataError&) {  // thrown again when the record is read
    }
  }

  const Sample& Read(int64_t index) override {
    const Sample& sample = ValueStore::Read(index);
    if (first_is_decoded_ && IsInColour(sample) && sample.decoded != *first_is_decoded_)
      throw DataError(
          Where(index), -1,
          StrCat("is ", KindOf(sample.decoded), ", record 0 ", KindOf(*first_is_decoded_),
                 ": colour_order must say in which order the raw ones have their colours"));
    return sample;
  }

 private:
  static bool IsInColour(const Sample& sample) {
    return sample.shape.size() == 3 && sample.shape[0] == 3;
  }
  static const char* KindOf(bool decoded) { return decoded ? "an image file" : "a raw Datum"; }

  std::optional<bool> first_is_decoded_;  // not set: records of both kinds may follow
};

std::unique_ptr<Store> OpenLmdbStore(const StoreOptions& options) {
  InputFile file = OpenLmdbFile(options.path);
  std::vector<ValuePlace> values = IndexLmdb(file);
  return std::make_unique<LmdbStore>(std::move(file), std::move(values), options);
}

SINGA_REGISTER_STORE(lmdb, OpenLmdbStore, .raw_datums = true, .encoded = Encoded::kIgnored,
                     .known_as = "caffe datum mdb");

}  // namespace
}  // namespace singa
