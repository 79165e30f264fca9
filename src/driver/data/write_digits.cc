#include "driver/data/write_digits.h"

#include <glog/logging.h>

#include <array>
#include <string>
#include <utility>

#include "base/file/file_system.h"
#include "io/picture/digits.h"
#include "io/store/store_writer.h"
#include "singa/base/error.h"

namespace singa {

int WriteDigits(const Arguments& args) {
  const std::string dir = args.Operands("DIR")[0] + "/";
  const uint64_t seed = args.ToNumber<uint64_t>("seed", args.Get("seed", "0"));
  PosixFileSystem files;
  files.MakeDirectories(dir);
  for (const auto& [stream, records] : {std::pair<std::string, int64_t>("train", kTrainDigits),
                                        std::pair<std::string, int64_t>("t10k", kTestDigits)}) {
    WriterOptions options{.path = dir + stream + "-images-idx3-ubyte",
                          .label_path = dir + stream + "-labels-idx1-ubyte",
                          .shape = {kDigitSide, kDigitSide},
                          .records = records};
    const auto writer = NewStoreWriter("idx", options, &files);
    std::array<uint8_t, kDigitPixels> pixel;
    Sample sample{.pixel = pixel};
    for (int64_t i = 0; i < records; ++i) {
      sample.label = DrawDigit(seed, stream, static_cast<uint32_t>(i), pixel);
      writer->Write(sample);
    }
    writer->Finish();
    LOG(INFO) << "wrote " << records << " digits to " << options.path;
  }
  return kExitOk;
}

}  // namespace singa
