// Tests that every altered byte of a checkpoint is found and named.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/checkpoint/sample.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class DamageTest : public testing::Test {
 protected:
  DamageTest() : dir_(Write(workspace_, 20, 5)) {}

  std::string File(const std::string& name) const { return dir_ + "/" + name; }

  // Returns the findings of VerifyCheckpoint if file `name` has these bytes.
  std::string Said(const std::string& name, const std::string& bytes) const {
    WriteAll(File(name), bytes);
    std::string all;
    for (const std::string& line : VerifyCheckpoint(dir_)) all += line + "\n";
    return all;
  }

  TempFolder workspace_;
  std::string dir_;
};

TEST_F(DamageTest, AnUntouchedCheckpointIsIntact) { EXPECT_TRUE(VerifyCheckpoint(dir_).empty()); }

TEST_F(DamageTest, ABitFlippedAtAnyByteIsFound) {
  std::mt19937 random(3);
  for (const char* name : {"model.safetensors", "state.safetensors", "manifest.json"}) {
    const std::string good = ReadAll(File(name));
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << random() % 8));
      ASSERT_NE(Said(name, bad).find(name), std::string::npos) << name << " byte " << i;
    }
    ASSERT_EQ(Said(name, good), "");
  }
}

TEST_F(DamageTest, ADamagedTensorIsNamed) {
  const std::string good = ReadAll(File("state.safetensors"));
  const SafetensorsFile file{MappedFile(File("state.safetensors"))};
  std::mt19937 random(4);
  for (const StoredTensor& tensor : file.view().tensors()) {
    const size_t begin = static_cast<const std::byte*>(tensor.data) - file.bytes().data();
    for (int trial = 0; trial < 5; ++trial) {
      std::string bad = good;
      bad[begin + random() % tensor.bytes()] ^= static_cast<char>(1 << random() % 8);
      // The file is replaced, because `file` is mapped.
      fs::remove(File("state.safetensors"));
      const std::string said = Said("state.safetensors", bad);
      EXPECT_NE(said.find("tensor \"" + tensor.name + "\": its CRC32C"), std::string::npos) << said;
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    }
  }
}

TEST_F(DamageTest, AnyTruncationIsFound) {
  for (const char* name : {"model.safetensors", "state.safetensors", "manifest.json"}) {
    const std::string good = ReadAll(File(name));
    std::set<size_t> sizes = {0, 1, 7, 8, 9, good.size() - 1, good.size() / 2};
    for (size_t i = 0; i < good.size(); i += 97) sizes.insert(i);
    for (size_t size : sizes)
      EXPECT_NE(Said(name, good.substr(0, size)).find(name), std::string::npos) << size;
    EXPECT_NE(Said(name, good + '\n').find(name), std::string::npos);
    EXPECT_NE(Said(name, good + std::string(4096, '\0')).find(name), std::string::npos);
    ASSERT_EQ(Said(name, good), "");
  }
}

TEST_F(DamageTest, AMissingFileIsNamed) {
  for (const char* name : {"model.safetensors", "state.safetensors", "manifest.json"}) {
    const std::string good = ReadAll(File(name));
    fs::remove(File(name));
    const std::vector<std::string> damage = VerifyCheckpoint(dir_);
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_NE(damage[0].find(name), std::string::npos);
    WriteAll(File(name), good);
  }
}

TEST_F(DamageTest, AFolderInPlaceOfAFileIsFound) {
  fs::remove(File("model.safetensors"));
  fs::create_directory(File("model.safetensors"));
  EXPECT_EQ(VerifyCheckpoint(dir_).size(), 1u);
}

TEST_F(DamageTest, LoadingADamagedCheckpointIs65) {
  WriteAll(File("model.safetensors"), "x");
  try {
    LoadCheckpoint(dir_);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), kExitBadData);
    EXPECT_NE(std::string(error.what()).find("model.safetensors: has 1 bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace singa
