// Tests signals that ask a job to stop, by their time and sender.
#include "driver/signals/stop_requests.h"

#include <gtest/gtest.h>

#include <csignal>

namespace singa {
namespace {

using Meaning = StopRequests::Meaning;
using Source = StopRequests::Source;

TEST(StopRequestsTest, ASecondInterruptThatComesSoonerIsTheFirst) {
  StopRequests requests;
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, 7), Meaning::kStop);
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, 7), Meaning::kNothingNew);
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, 6 + kOneRequest), Meaning::kNothingNew);
}

TEST(StopRequestsTest, ASecondInterruptThatComesLaterEndsAtOnce) {
  StopRequests requests;
  requests.Note(SIGINT, Source::kOthers, 7);
  requests.Note(SIGINT, Source::kOthers, 8);
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, 7 + kOneRequest), Meaning::kEndAtOnce);
}

TEST(StopRequestsTest, AnInterruptAfterAnotherSignalEndsAtOnce) {
  StopRequests requests;
  EXPECT_EQ(requests.Note(SIGTERM, Source::kOthers, 0), Meaning::kStop);
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, kOneRequest), Meaning::kEndAtOnce);
}

TEST(StopRequestsTest, ASecondTerminateIsNothingNew) {
  StopRequests requests;
  requests.Note(SIGINT, Source::kOthers, 0);
  EXPECT_EQ(requests.Note(SIGTERM, Source::kOthers, kSecond), Meaning::kNothingNew);
}

TEST(StopRequestsTest, WhatASupervisorPassesOnIsOneRequestHoweverLate) {
  StopRequests requests;
  EXPECT_EQ(requests.Note(SIGINT, Source::kOthers, 0), Meaning::kStop);
  EXPECT_EQ(requests.Note(SIGINT, Source::kSupervisor, 3600 * kSecond), Meaning::kNothingNew);
}

}  // namespace
}  // namespace singa
