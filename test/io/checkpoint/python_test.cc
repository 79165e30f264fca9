// Tests that Python's safetensors library reads our files, if this machine has the library.
#include <gtest/gtest.h>

#include <cstdio>
#include <iostream>
#include <set>

#include "base/file/sha256.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

// Returns SINGA_TEST_PYTHON, or python3 if the variable is not set.
std::string Python() {
  const char* name = std::getenv("SINGA_TEST_PYTHON");
  return name ? name : "python3";
}

std::string Output(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  return pclose(pipe) == 0 ? text : "failed";
}

std::string Expected(std::vector<StoredTensor> tensors) {
  const std::map<StoredType, std::string> names = {
      {StoredType::kF32, "float32"}, {StoredType::kF64, "float64"}, {StoredType::kI32, "int32"},
      {StoredType::kI64, "int64"},   {StoredType::kU64, "uint64"},  {StoredType::kU8, "uint8"}};
  std::set<std::string> lines;
  for (const StoredTensor& tensor : tensors) {
    std::string shape;
    for (int i = 0; i < tensor.shape.dims(); ++i) shape += StrCat(i ? ", " : "", tensor.shape[i]);
    lines.insert(StrCat(tensor.name, " ", names.at(tensor.type), " [", shape, "] ",
                        Sha256Hex(tensor.data, tensor.bytes()), "\n"));
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

TEST(PythonsSafetensors, ReadsTheSameBytes) {
  if (Output(Python() + " -c 'import safetensors.numpy' 2>&1") != "") {
    std::cerr << "LEFT OUT: " << Python()
              << " has no safetensors and numpy (pip install safetensors "
              << "numpy; SINGA_TEST_PYTHON=its python)\n";
    GTEST_SKIP();
  }
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20, 3);
  const NumberedModel sample(20, 3);
  const std::string read =
      Python() + " " SINGA_SOURCE_DIR "/tool/golden/read_safetensors.py " + dir;
  EXPECT_EQ(Output(read + "/model.safetensors"), Expected(sample.content().params));
  EXPECT_EQ(Output(read + "/state.safetensors"), Expected(sample.content().state));
}

}  // namespace
}  // namespace singa
