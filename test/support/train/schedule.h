// These functions make schedules of the learning rate from their conf.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "singa/base/error.h"
#include "singa/train/learning_rate.h"

namespace singa {

inline LRGenProto ParseSchedule(const std::string& text) {
  LRGenProto conf;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  EXPECT_TRUE(parser.ParseFromString(text, &conf)) << text;
  return conf;
}

// Returns the rate of a schedule that was just made, as after a resume.
inline float RateAt(const std::string& text, int64_t step) {
  return MakeLearningRate(ParseSchedule(text))->At(step);
}

inline std::string ScheduleErrorOf(const std::string& text) {
  try {
    MakeLearningRate(ParseSchedule(text));
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "";
}

inline constexpr int64_t kFarStep = int64_t{1} << 40;  // a step that no run reaches

}  // namespace singa
