#include "driver/version.h"

#include <gflags/gflags.h>
#include <google/protobuf/stubs/common.h>
#include <zlib.h>

#include "math/libraries.h"
#include "singa/base/str_cat.h"

namespace singa {

const char kVersion[] = SINGA_VERSION;

std::string InstructionSet() {
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  return __builtin_cpu_supports("avx2") ? "avx2" : "sse2";
}

std::string VersionText() {
  std::string text = StrCat("singa ", kVersion, "\ninstruction set ", InstructionSet(), "\n");
  for (const std::string& library : Libraries()) text += library + "\n";
  return text + StrCat("protobuf ",
                       google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
                       "\ngflags ", gflags::VersionString(), "\nzlib ", zlibVersion(), "\n");
}

}  // namespace singa
