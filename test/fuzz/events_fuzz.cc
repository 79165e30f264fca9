// Reads any bytes as an event file, and as an event. Each event that protobuf parses has the head
// that protobuf says.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "io/metrics/event_head.h"
#include "io/metrics/record_frames.h"
#include "singa/proto/tensorboard.pb.h"

namespace singa {
namespace {

void Check(const std::string& record) {
  tensorboard::Event event;
  const auto head = HeadOf(record);
  if (!event.ParseFromString(record)) return;
  if (!head || head->step != event.step() || head->has_rows != event.has_summary()) std::abort();
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using singa::FrameReader;
  using singa::InputFile;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  singa::Check(bytes);
  for (const std::string& text : {bytes, singa::FrameOf(bytes) + bytes}) {
    const InputFile file = InputFile::FromMemory("fuzz", {text.begin(), text.end()});
    FrameReader reader(&file);
    int64_t records = 0;
    for (std::string record; reader.Next(&record); ++records) singa::Check(record);
    if (reader.position() > file.size() || (text.size() > size && records == 0)) std::abort();
  }
  return 0;
}
