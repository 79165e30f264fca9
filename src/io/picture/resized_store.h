// A store whose pictures are scaled to one size.
#pragma once

#include <memory>

#include "io/store/store.h"

namespace singa {

// The records of `store`, each a picture (channels, height, width), as (channels,
// `height`, `width`). Sides are scaled apart; smaller ones are means over what they cover, larger
// ones linear in between: torchvision's resize with antialias, PIL's BILINEAR, within 1. Read
// throws DataError for a record that is no such picture. REQUIRES: height, width >= 1.
std::unique_ptr<Store> ResizePictures(std::unique_ptr<Store> store, int32_t height, int32_t width);

}  // namespace singa
