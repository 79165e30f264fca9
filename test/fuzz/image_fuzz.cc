// Decodes any bytes as a picture. They are refused, or are a file whose picture has as many numbers
// as its shape says, in colour and in grey.
#include <cstdlib>

#include "io/picture/image_decoder.h"
#include "io/value_error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const int channels : {1, 3}) try {
      singa::ImageDecoder decoder(channels);
      const singa::Image& image = decoder.Decode({data, size});
      const int64_t numbers = int64_t{image.shape[0]} * image.shape[1] * image.shape[2];
      const auto got = static_cast<int64_t>(image.pixels.size() + image.numbers.size());
      if (image.shape[0] != channels || got != numbers) std::abort();
    } catch (const singa::ValueError&) {
    }
  return 0;
}
