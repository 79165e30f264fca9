#include "nn/input/store_settings.h"

#include <memory>

#include "nn/input/store_input.h"

namespace singa {

StoreSettings SettingsOf(const LayerProto& conf) {
  const std::unique_ptr<Layer> layer =
      conf.has_user_type() ? nullptr : Layers().Make(LayerType_Name(conf.type()));
  if (const StoreInput* store = layer ? StoreInputOf(layer.get()) : nullptr)
    return store->SettingsOf(conf);
  StoreSettings settings{.conf = conf.store_conf()};
  if (settings.conf.has_backend()) settings.backend = settings.conf.backend();
  return settings;
}

}  // namespace singa
