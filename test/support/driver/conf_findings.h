// These functions serve tests of single checks of a job's conf.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "driver/conf/check_values.h"
#include "singa/base/str_cat.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the job of `text`. Required fields may be missing.
inline JobProto JobOfText(const std::string& text) {
  JobProto job;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  EXPECT_TRUE(parser.ParseFromString(text, &job)) << text;
  return job;
}

// Returns a line for each finding, "PATH: TEXT\n".
inline std::string LinesOf(const ConfigErrors& findings) {
  std::string lines;
  for (const ConfigError& finding : findings) lines += StrCat(finding.what(), "\n");
  return lines;
}

// Returns a line for each finding: "error: PATH: TEXT\n", then "warning: PATH: TEXT\n".
inline std::string LinesOf(const ConfFindings& found) {
  std::string lines;
  for (const ConfigError& error : found.errors) lines += StrCat("error: ", error.what(), "\n");
  for (const ConfigError& warning : found.warnings)
    lines += StrCat("warning: ", warning.what(), "\n");
  return lines;
}

}  // namespace singa
