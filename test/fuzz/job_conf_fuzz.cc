// Fuzzes the whole check of a job. Any file and any -set option must lead to findings with places,
// and never to a crash. Protobuf must read any text that our scan accepts, to the same message,
// with `repeat` expanded. The input is the file's text, then lines "-set path=value" after a line
// "-set".
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstdlib>
#include <sstream>

#include "driver/conf/check_job.h"
#include "driver/conf/repeat_blocks.h"
#include "file_of_bytes.h"

namespace {

void Require(bool ok) {
  if (!ok) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> sets;
  if (const size_t cut = text.find("\n-set\n"); cut != std::string::npos) {
    std::istringstream lines(text.substr(cut + 6));
    for (std::string line; std::getline(lines, line);) sets.push_back(line);
    text.resize(cut);
  }
  const auto checked = singa::CheckJobText("F", text, sets);
  for (const singa::Diagnostic& finding : checked->conf.diagnostics())
    Require(!finding.text.empty() &&
            (!finding.set.empty() || (finding.line > 0 && finding.column > 0)));
  for (unsigned char c : checked->conf.Render()) Require(c >= 0x20 || c == '\n' || c == '\t');

  singa::JobProto ours, theirs;
  const singa::JobConf conf("F", text, {}, &ours);
  const singa::FileOfBytes file(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  singa::JobProto from_file;
  const singa::JobConf read(file.path(), {}, &from_file);
  Require(read.ok() == conf.ok());
  const bool byte_order_mark = text.rfind("\xEF\xBB\xBF", 0) == 0;
  if (!conf.ok() || byte_order_mark) return 0;
  Require(google::protobuf::TextFormat::ParseFromString(text, &theirs));
  singa::ExpandBlocksOf(&theirs);
  Require(google::protobuf::util::MessageDifferencer::Equals(ours, theirs));
  return 0;
}
