#include "io/store_facts.h"

#include "singa/base/error.h"

namespace singa {

StoreFacts FactsOf(const std::string& backend, Store* store) {
  StoreFacts facts{.records = store->size(), .classes = store->classes()};
  try {
    const Sample& first = store->Read(0);
    if (!first.ShapeFits()) {
      facts.shape = {first.size()};
      return facts;
    }
    facts.shape.assign(first.shape.begin(), first.shape.end());
    if (facts.shape.size() != 3 || facts.shape[0] != 3) return facts;
    if (first.decoded)
      facts.colours = ColourOrder::kRedFirst;
    else if (backend == "lmdb")
      facts.colours = ColourOrder::kRawDatum;
  } catch (const DataError&) {  // whoever needs the record tells of it
  }
  return facts;
}

}  // namespace singa
