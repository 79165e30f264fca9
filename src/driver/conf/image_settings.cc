#include "driver/conf/image_settings.h"

#include "nn/input/store_settings.h"

namespace singa {

bool CutsImages(const LayerProto& conf) {
  return conf.has_rgbimage_conf() && !conf.has_user_type();
}

std::string JitterOf(const LayerProto& conf) {
  const RGBImageProto& colours = conf.rgbimage_conf();
  if (!CutsImages(conf)) return "";
  if (colours.brightness() > 0) return "brightness";
  if (colours.contrast() > 0) return "contrast";
  if (colours.saturation() > 0) return "saturation";
  return colours.hue() > 0 ? "hue" : "";
}

std::string RangeSettingOf(const LayerProto& conf) {
  if (CutsImages(conf)) {
    if (!conf.rgbimage_conf().meanfile().empty()) return "meanfile";
    return conf.rgbimage_conf().scale() != 1 ? "scale" : "";
  }
  const StoreProto store = SettingsOf(conf).conf;
  if (!store.mean_file().empty()) return "mean_file";
  if (!store.std_file().empty()) return "std_file";
  if (store.mean_value() != 0) return "mean_value";
  if (store.has_std_value() && store.std_value() != 1) return "std_value";
  if (store.channel_mean_size() > 0) return "channel_mean";
  return store.channel_std_size() > 0 ? "channel_std" : "";
}

}  // namespace singa
