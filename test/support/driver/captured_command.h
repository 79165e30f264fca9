// CapturedCommand runs a subcommand and keeps what it prints.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>

#include "driver/command/command_line.h"
#include "singa/base/error.h"

namespace singa {

// Returns a command line with one flag.
inline CommandLine WithFlag(bool CommandLine::*flag) {
  CommandLine line;
  line.*flag = true;
  return line;
}

struct CapturedCommand {
  // Runs `command`. An error that it throws gives the code, and its text ends `err`.
  explicit CapturedCommand(const std::function<int()>& command) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::string thrown;
    try {
      code = command();
    } catch (const Error& error) {
      code = error.code();
      thrown = error.what();
    }
    std::fflush(stdout);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr() + thrown;
  }

  int code = 0;
  std::string out, err;
};

}  // namespace singa
