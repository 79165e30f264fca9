// ResizePictures scales the pictures of a store to one size.
#pragma once

#include <memory>

#include "io/store/store.h"

namespace singa {

// Returns `store` with each picture scaled to (channels, `height`, `width`). Each side is scaled on
// its own: a smaller side by means, a larger one linearly. Results equal torchvision's resize with
// antialias, and PIL's BILINEAR, within 1. Read throws DataError for a record that is no picture
// (channels, height, width). REQUIRES: height, width >= 1.
std::unique_ptr<Store> ResizePictures(std::unique_ptr<Store> store, int32_t height, int32_t width);

}  // namespace singa
