#include "driver/facts/compare_colours.h"

#include <algorithm>
#include <string>

namespace singa {
namespace {

ConfigError MustState(const InputFacts& raw, const InputFacts& other) {
  const bool may = raw.path.ends_with("store_conf");
  return ConfigError(
             may ? "colour_order" : "path",
             StrCat(raw.source.store.path, " holds raw Datums, which do not say whether red or ",
                    "blue comes first; ", other.source.store.path, " of layer \"", other.layer,
                    "\" (", Phase_Name(other.phase), ") has red first. ",
                    may ? "" : "Use kRecordInput with backend: \"lmdb\", which has colour_order. ",
                    "colour_order: kBlueFirst is right for what Caffe's tools wrote, kRedFirst for "
                    "what singa data convert made of image files"))
      .Under(raw.path);
}

}  // namespace

ConfigErrors CompareColours(const std::vector<InputFacts>& inputs) {
  ConfigErrors errors;
  const auto other = std::find_if(inputs.begin(), inputs.end(), [](const InputFacts& input) {
    return input.facts.colours == ColourOrder::kRedFirst;
  });
  if (other == inputs.end()) return errors;
  for (const InputFacts& input : inputs)
    if (input.facts.colours == ColourOrder::kRawDatum) errors.push_back(MustState(input, *other));
  return errors;
}

}  // namespace singa
