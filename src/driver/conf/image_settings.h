// Which settings of a layer change the colours and the range of images.
#pragma once

#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Returns whether the layer cuts, flips or scales images.
bool CutsImages(const LayerProto& conf);

// Returns the first field of a colour jitter that is on; "": none.
std::string JitterOf(const LayerProto& conf);

// Returns the first setting by which a layer changes the range of pixels' values; "": none.
std::string RangeSettingOf(const LayerProto& conf);

}  // namespace singa
