// StoreSettings says how an input layer's records are stored and normalised. Code that reads
// records as the layer would uses it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/reader/row_decoder.h"
#include "io/store/store.h"
#include "singa/proto/layer.pb.h"

namespace singa {

struct StoreSettings {
  ValueFormat format = ValueFormat::kRecord;
  std::string backend = "kvfile";
  StoreProto conf = {};  // the settings of store_conf that the layer uses; old types use none
};

// Returns StoreInput::SettingsOf of the layer of `conf`. For a user's layer, or one that is no
// StoreInput, returns the settings of its store_conf.
StoreSettings SettingsOf(const LayerProto& conf);

// Returns the number of bad records that may be skipped; 0: the first one is an error.
inline int64_t MaxBadOf(const StoreProto& conf) {
  return conf.on_bad_record() == StoreProto::kSkip ? conf.max_bad_records() : 0;
}

inline ColourOrder ColoursOf(const StoreProto& conf) {
  if (conf.colour_order() == StoreProto::kNotStated) return ColourOrder::kNotSaid;
  return conf.colour_order() == StoreProto::kBlueFirst ? ColourOrder::kBlueFirst
                                                       : ColourOrder::kRedFirst;
}

// Sets what `conf` says about lines of text: of CSV, or of an image list. Throws ConfigError,
// relative to `conf`, for a setting that this format cannot have.
void SetLines(const StoreProto& conf, const std::string& backend, StoreOptions* options);

// Throws ConfigError, relative to `conf`, for numbers of mean_value and the like that cannot be
// used for records of `shape`.
void CheckNormalisation(const StoreProto& conf, const std::vector<int64_t>& shape);

// Throws ConfigError, relative to `conf`, for a short_side that cannot be used for records of
// `shape`. `decodes`: whether the store decodes picture files.
void CheckShortSide(const StoreProto& conf, const std::vector<int64_t>& shape, bool decodes);

inline Normalisation NormalisationOf(const StoreProto& conf) {
  return {conf.mean_value(),
          conf.has_std_value() ? conf.std_value() : 1,
          conf.mean_file(),
          conf.std_file(),
          {conf.channel_mean().begin(), conf.channel_mean().end()},
          {conf.channel_std().begin(), conf.channel_std().end()}};
}

}  // namespace singa
