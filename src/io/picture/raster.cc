#include "io/picture/raster.h"

#include "io/value_error.h"
#include "singa/base/str_cat.h"

namespace singa {

void SetSize(int64_t height, int64_t width, Raster* raster) {
  if (height < 1 || width < 1 || height * width > kMaxPicturePixels)
    throw ValueError(StrCat("is a picture of ", width, " x ", height, "; at most ",
                            kMaxPicturePixels, " pixels"));
  raster->height = height;
  raster->width = width;
}

void CheckBytes(const char* kind, size_t bytes, int64_t least, int64_t height, int64_t width) {
  if (static_cast<int64_t>(bytes) < least)
    throw ValueError(StrCat("damaged ", kind, ": ", width, " x ", height, " pixels cannot be in ",
                            bytes, " bytes"));
}

}  // namespace singa
