#include "io/picture/optional_decoders.h"

#include <gtest/gtest.h>

#include "io/refusal.h"

namespace singa::optional_decoders {
namespace {

TEST(OptionalDecoder, WithoutItsLibraryNamesIt) {
  const OptionalDecoder none{"TIFF", "libtiff"};
  Raster raster;
  EXPECT_EQ(RefusalOf([&] { none({}, &raster); }),
            "is a TIFF file, and this build of singa is without libtiff, which reads them");
}

TEST(OptionalDecoder, FilesAreKnownByTheirFirstBytes) {
  EXPECT_TRUE(IsWebp(BytesOf("RIFF1234WEBP")));
  EXPECT_FALSE(IsWebp(BytesOf("RIFF1234WEB")));
  EXPECT_FALSE(IsWebp(BytesOf("RIFF1234WAVE")));
  for (const std::string& magic : {std::string("II*\0", 4), std::string("MM\0*", 4),
                                   std::string("II+\0", 4), std::string("MM\0+", 4)}) {
    EXPECT_TRUE(IsTiff(BytesOf(magic)));
    EXPECT_FALSE(IsTiff(BytesOf(magic.substr(0, 3))));
  }
  EXPECT_FALSE(IsTiff(BytesOf(std::string("IM*\0", 4))));
}

}  // namespace
}  // namespace singa::optional_decoders
