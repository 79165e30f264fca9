#include "io/store/store_facts.h"

#include "singa/base/error.h"

namespace singa {
namespace {

ColourOrder ColoursOfRecord(const Sample& sample, const std::string& backend, ColourOrder stated) {
  if (sample.shape.size() != 3 || sample.shape[0] != 3) return ColourOrder::kNotSaid;
  if (sample.decoded || stated != ColourOrder::kNotSaid) return ColourOrder::kRedFirst;
  return TraitsOf(backend).raw_datums ? ColourOrder::kRawDatum : ColourOrder::kNotSaid;
}

}  // namespace

StoreFacts FactsOf(const std::string& backend, const StoreOptions& options, Store* store) {
  StoreFacts facts{
      .records = store->size(), .classes = store->classes(), .columns = store->columns()};
  facts.left_out = store->left_out();
  if (options.has_label) facts.labels = store->Labels();
  try {
    const Sample& first = store->Read(0);
    facts.targets.assign(first.targets.begin(), first.targets.end());
    if (first.ShapeFits()) {
      facts.shape.assign(first.shape.begin(), first.shape.end());
      facts.colours = ColoursOfRecord(first, backend, options.colours);
    } else {
      facts.shape = {first.size()};
    }
  } catch (const DataError&) {  // code that needs the record reports it
  }
  return facts;
}

}  // namespace singa
