// How the records of an input layer are written and normalised, as its conf says: for all that read
// them as the layer would.
#pragma once

#include <string>

#include "io/reader/row_decoder.h"
#include "io/store/store.h"
#include "singa/proto/layer.pb.h"

namespace singa {

inline ValueFormat FormatOf(const LayerProto& conf) {
  return !conf.has_user_type() && conf.type() == kCSVInput ? ValueFormat::kCsv
                                                           : ValueFormat::kRecord;
}

// What the layer reads of its store_conf: the deprecated kinds, which have their own settings, read
// nothing.
inline const StoreProto& StoreConfOf(const LayerProto& conf) {
  const bool old = conf.type() == kShardData || conf.type() == kLMDBData;
  return old && !conf.has_user_type() ? StoreProto::default_instance() : conf.store_conf();
}

inline std::string BackendOf(const LayerProto& conf) {
  if (StoreConfOf(conf).has_backend()) return StoreConfOf(conf).backend();
  return FormatOf(conf) == ValueFormat::kCsv ? "textfile" : "kvfile";
}

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
