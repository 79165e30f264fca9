#include "driver/conf/conf_text.h"

#include <google/protobuf/text_format.h>

namespace singa {

std::string ConfText(const JobProto& job) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(job, &text);
  return text;
}

}  // namespace singa
