// StoreSettings: how the records of an input layer are written and normalised, as its conf says:
// for all that read records as the layer would.
#pragma once

#include <string>

#include "io/reader/row_decoder.h"
#include "io/store/store.h"
#include "singa/proto/layer.pb.h"

namespace singa {

struct StoreSettings {
  ValueFormat format = ValueFormat::kRecord;
  std::string backend = "kvfile";
  StoreProto conf = {};  // what the layer reads of its store_conf; old kinds read nothing
};

// As the layer of `conf` says (StoreInput::SettingsOf). For a layer that is no store input, and a
// user's, the settings of its store_conf.
StoreSettings SettingsOf(const LayerProto& conf);

// Records that may be skipped as bad; 0: the first is an error.
inline int64_t MaxBadOf(const StoreProto& conf) {
  return conf.on_bad_record() == StoreProto::kSkip ? conf.max_bad_records() : 0;
}

inline ColourOrder ColoursOf(const StoreProto& conf) {
  if (conf.colour_order() == StoreProto::kNotStated) return ColourOrder::kNotSaid;
  return conf.colour_order() == StoreProto::kBlueFirst ? ColourOrder::kBlueFirst
                                                       : ColourOrder::kRedFirst;
}

inline Normalisation NormalisationOf(const StoreProto& conf) {
  return {conf.mean_value(), conf.has_std_value() ? conf.std_value() : 1, conf.mean_file(),
          conf.std_file()};
}

}  // namespace singa
