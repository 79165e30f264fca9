#include "io/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include "base/file/sha256.h"

namespace singa {
namespace {

constexpr size_t kSumAndEnd = 64 + 4;  // bytes: the digits of the sum, and what follows them

Manifest SmallManifest() {
  Manifest manifest;
  manifest.step = 7;
  manifest.conf_sha256 = std::string(64, 'c');
  manifest.conf = {{"updater.type", "kSGD"}};
  manifest.run = {{"seed", 5}};
  manifest.files = {{"model.safetensors", {12, std::string(64, 'f')}}};
  manifest.crc32c = {{"w1", 0x0000beefu}};
  return manifest;
}

// Returns the text of the manifest with `from` replaced by `to`, and with the new sum.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text = ManifestText(SmallManifest());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  text.replace(at, from.size(), to);
  text.resize(text.size() - kSumAndEnd);
  return text + Sha256Hex(text) + "\"\n}\n";
}

// Returns the error of the text; "" if there is none.
std::string ErrorOfManifest(const std::string& text) {
  try {
    ParseManifest(text, "f");
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}
std::string ErrorOfChange(const std::string& from, const std::string& to) {
  return ErrorOfManifest(Changed(from, to));
}

TEST(ManifestTest, ReadsWhatItWrote) {
  const Manifest manifest = SmallManifest(), read = ParseManifest(ManifestText(manifest), "f");
  EXPECT_EQ(read.step, 7);
  EXPECT_EQ(read.conf_sha256, manifest.conf_sha256);
  EXPECT_EQ(read.conf, manifest.conf);
  EXPECT_EQ(read.run, manifest.run);
  EXPECT_EQ(read.crc32c, manifest.crc32c);
  ASSERT_EQ(read.files.size(), 1u);
  EXPECT_EQ(read.files.at("model.safetensors").bytes, 12);
  EXPECT_EQ(read.files.at("model.safetensors").sha256, std::string(64, 'f'));
}

TEST(ManifestTest, IsJsonThatEndsWithItsOwnSum) {
  const std::string text = ManifestText(SmallManifest());
  EXPECT_TRUE(text.starts_with("{\n  \"conf\": {\n    \"updater.type\": \"kSGD\"\n  },\n")) << text;
  const std::string covered = text.substr(0, text.size() - kSumAndEnd);
  EXPECT_TRUE(covered.ends_with(",\n  \"manifest_sha256\": \"")) << text;
  EXPECT_EQ(text, covered + Sha256Hex(covered) + "\"\n}\n");
}

TEST(ManifestTest, NumbersOfTheRunAreEqualWhateverTheirType) {
  EXPECT_EQ(RunValue(uint64_t{5}), RunValue(int64_t{5}));
  EXPECT_NE(RunValue(5), RunValue("5"));
  Manifest manifest = SmallManifest();
  manifest.run = {{"seed", UINT64_MAX}, {"offset", INT64_MIN}, {"threads", 2}, {"topology", "2x1"}};
  EXPECT_EQ(ParseManifest(ManifestText(manifest), "f").run, manifest.run);
}

TEST(ManifestTest, OlderOnesHaveNoConf) {
  EXPECT_TRUE(
      ParseManifest(Changed("\"conf\": {\n    \"updater.type\": \"kSGD\"\n  },\n  ", ""), "f")
          .conf.empty());
}

TEST(ManifestTest, AByteThatChangesIsDamage) {
  std::string text = ManifestText(SmallManifest());
  text[text.find("kSGD")] = 'K';
  EXPECT_EQ(ErrorOfManifest(text), "f: is damaged: its checksum does not match");
}

TEST(ManifestTest, AnyCutIsDamage) {
  const std::string text = ManifestText(SmallManifest());
  for (size_t size = 0; size < text.size(); ++size)
    ASSERT_EQ(ErrorOfManifest(text.substr(0, size)),
              "f: is cut off or damaged: it does not end with its checksum");
}

TEST(ManifestTest, ANewerFormatIsRefusedNamingBoth) {
  try {
    ParseManifest(Changed("\"format\": 1", "\"format\": 7"), "f");
    ADD_FAILURE() << "no error";
  } catch (const NewerFormatError& error) {
    EXPECT_STREQ(error.what(),
                 "f: has format 7; this singa reads formats up to 1: use a newer singa, or remove "
                 "that checkpoint");
  }
}

TEST(ManifestTest, FormatZeroIsDamage) {
  EXPECT_EQ(ErrorOfChange("\"format\": 1", "\"format\": 0"), "f: has format 0");
}

TEST(ManifestTest, RefusesWhatLacksAField) {
  EXPECT_EQ(ErrorOfChange("\"step\": 7", "\"stop\": 7"), "f: has no \"step\"");
  EXPECT_EQ(ErrorOfChange("\"size\": 12", "\"bytes\": 12"), "f: has no \"size\"");
}

TEST(ManifestTest, RefusesAFieldOfAnotherKind) {
  EXPECT_EQ(ErrorOfChange("\"step\": 7", "\"step\": -7"), "f: \"step\" is not a whole number >= 0");
  EXPECT_EQ(ErrorOfChange("\"step\": 7", "\"step\": 18446744073709551615"),
            "f: \"step\" is not a whole number >= 0");
  EXPECT_EQ(ErrorOfChange(std::string(64, 'c'), std::string(64, 'C')),
            "f: \"conf_sha256\" is not a text of 64 hexadecimal digits");
  EXPECT_EQ(ErrorOfChange("\"0000beef\"", "\"beef\""),
            "f: \"crc32c\" is not a text of 8 hexadecimal digits");
  EXPECT_EQ(ErrorOfChange("\"kSGD\"", "1"), "f: conf: \"updater.type\" is no text");
  EXPECT_EQ(ErrorOfChange("\"seed\": 5", "\"seed\": 5.5"),
            "f: run: \"seed\" is no text or whole number");
}

TEST(ManifestTest, RefusesWhatIsNoObject) {
  EXPECT_EQ(ErrorOfChange("\"run\": {\n    \"seed\": 5\n  }", "\"run\": 5"),
            "f: \"run\" is not an object");
  EXPECT_EQ(ErrorOfChange("{\n      \"crc32c\": \"0000beef\"\n    }", "5"),
            "f: tensors: \"w1\" is not an object");
}

}  // namespace
}  // namespace singa
