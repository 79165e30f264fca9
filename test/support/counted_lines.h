// Line coverage of processes that end without the usual steps at exit.
#pragma once

#include <unistd.h>

// Part of the runtime that a build with SINGA_COVERAGE links; null in other builds.
extern "C" int __llvm_profile_write_file() __attribute__((weak));

namespace singa {

// Ends the process with `code` at once. The lines that it ran count for tool/line_coverage.sh.
[[noreturn]] inline void EndWithCountedLines(int code) {
  if (__llvm_profile_write_file) __llvm_profile_write_file();
  _exit(code);
}

}  // namespace singa
