#include "io/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "io/checkpoint/safetensors_writer.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string File(const std::string& header, const std::string& data) {
  const uint64_t size = header.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + header + data;
}

std::string WhyRefused(const std::string& bytes) {
  try {
    Safetensors(Bytes(bytes), "f");
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), kExitBadData);
    return error.what();
  }
  return "";
}

std::string Entry(const std::string& begin, const std::string& end) {
  return R"({"dtype":"U8","shape":[2],"data_offsets":[)" + begin + "," + end + "]}";
}

TEST(Safetensors, ReadsWhatWasWritten) {
  const TempFolder folder;
  PosixFileSystem disk;
  const NumberedModel sample(5, 3);
  const auto file = disk.Create(folder / "a");
  WriteSafetensors(sample.content().state, file.get());
  const SafetensorsFile read{MappedFile(folder / "a")};
  EXPECT_EQ(read.view().tensors().size(), sample.content().state.size());
  for (const StoredTensor& tensor : sample.content().state) {
    const StoredTensor* found = read.view().Find(tensor.name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->type, tensor.type);
    EXPECT_EQ(found->shape, tensor.shape);
    EXPECT_EQ(std::memcmp(found->data, tensor.data, tensor.bytes()), 0);
  }
}

TEST(Safetensors, EveryTensorIsAlignedToItsType) {
  const TempFolder folder;
  PosixFileSystem disk;
  const auto file = disk.Create(folder / "a");
  WriteSafetensors(NumberedModel(5, 3).content().state, file.get());
  const SafetensorsFile read{MappedFile(folder / "a")};
  for (const StoredTensor& tensor : read.view().tensors())
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % SizeOf(tensor.type), 0u) << tensor.name;
}

TEST(Safetensors, ReadsAFileWithoutTensors) {
  const std::string bytes = File("{}", "");
  EXPECT_TRUE(Safetensors(Bytes(bytes), "f").tensors().empty());
}

TEST(Safetensors, ReadsMetadataAndTrailingSpaces) {
  const std::string bytes =
      File(R"({"__metadata__":{"k":"v"},"a":)" + Entry("0", "2") + "}  ", "xy");
  const Safetensors read(Bytes(bytes), "f");
  EXPECT_EQ(read.metadata().at("k"), "v");
  EXPECT_EQ(read.Values<uint8_t>("a", {2})[1], 'y');
}

TEST(Safetensors, ValuesAreRefusedForAnotherTypeShapeOrName) {
  const std::string bytes = File("{\"a\":" + Entry("0", "2") + "}", "xy");
  const Safetensors read(Bytes(bytes), "f");
  EXPECT_THROW(read.Values<float>("a", {2}), DataError);
  EXPECT_THROW(read.Values<uint8_t>("a", {1, 2}), DataError);
  EXPECT_THROW(read.Values<uint8_t>("b", {2}), DataError);
}

TEST(Safetensors, ValuesAreRefusedWhereNotAligned) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string bytes = File(header + std::string((9 - header.size() % 8) % 8, ' '), "1234");
  std::vector<double> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const Safetensors read(std::as_bytes(std::span(aligned)).first(bytes.size()), "f");
  EXPECT_THROW(read.Values<float>("a", {1}), DataError);
}

struct Bad {
  const char* name;
  std::string bytes;
  const char* why;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

std::vector<Bad> BadFiles() {
  const std::string good = "{\"a\":" + Entry("0", "2") + "}";
  const std::string two = "{\"a\":" + Entry("0", "2") + ",\"b\":";
  const auto with = [](const std::string& tensor) { return File("{\"a\":" + tensor + "}", "xy"); };
  const std::string huge(8, '\xff');
  std::string large = File(good, "xy");
  large[3] = 0x7f;
  return {
      {"Empty", "", "shorter than the 8 bytes"},
      {"SevenBytes", std::string(7, '\0'), "shorter than the 8 bytes"},
      {"HeaderPastEnd", large, "has a header of"},
      {"HeaderOverflows", huge + good, "the limit is 100000000"},
      {"HeaderOfNothing", std::string(8, '\0'), "does not start with {"},
      {"HeaderStartsWithSpace", File(" {}", ""), "does not start with {"},
      {"HeaderCutOff", File("{\"a\":", ""), "is not JSON"},
      {"HeaderWithRest", File("{}x", ""), "is not JSON"},
      {"NotUtf8", File("{\"\xff\":1}", ""), "is not JSON"},
      {"Deep", File("{\"a\":{\"b\":[[1]]}}", ""), "nested deeper"},
      {"DuplicateTensor",
       File(two.substr(0, two.size() - 4) + "\"a\":" + Entry("0", "2") + "}", "xy"),
       "\"a\" occurs twice"},
      {"DuplicateKey", with(R"({"dtype":"U8","dtype":"I8","shape":[2],"data_offsets":[0,2]})"),
       "\"dtype\" occurs twice"},
      {"NoDtype", with(R"({"shape":[2],"data_offsets":[0,2]})"), "no dtype"},
      {"UnknownDtype", with(R"({"dtype":"F7","shape":[2],"data_offsets":[0,2]})"), "\"F7\""},
      {"UnknownKey", with(R"({"dtype":"U8","shape":[2],"data_offsets":[0,2],"x":1})"), "\"x\""},
      {"NoShape", with(R"({"dtype":"U8","data_offsets":[0,2]})"), "no shape"},
      {"NegativeSize", with(R"({"dtype":"U8","shape":[-2],"data_offsets":[0,2]})"), "whole number"},
      {"FractionSize", with(R"({"dtype":"U8","shape":[2.0],"data_offsets":[0,2]})"),
       "whole number"},
      {"HugeSize", with(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,2]})"),
       "whole number"},
      {"ShapeOverflows",
       with(R"({"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,2]})"), "overflows"},
      {"BytesOverflow",
       with(R"({"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]})"), "overflows"},
      {"NineDimensions", with(R"({"dtype":"U8","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,2]})"),
       "9 dimensions"},
      {"OneOffset", with(R"({"dtype":"U8","shape":[2],"data_offsets":[0]})"), "pair"},
      {"BackwardOffsets", with(Entry("2", "0")), "before its begin"},
      {"TooFewBytes", with(Entry("0", "1")), "needs 2"},
      {"TensorPastEnd", File(good, "x"), "which has 1 bytes"},
      {"HoleBefore", File("{\"a\":" + Entry("1", "3") + "}", "xyz"), "begins at 1"},
      {"Overlap", File(two + Entry("1", "3") + "}", "xyz"), "begins at 1"},
      {"HoleBetween", File(two + Entry("3", "5") + "}", "xyzuv"), "begins at 3"},
      {"RestAtEnd", File(good, "xyz"), "its tensors need 2"},
      {"MetadataNoObject", File(R"({"__metadata__":1})", ""), "not an object"},
      {"MetadataNoString", File(R"({"__metadata__":{"k":1}})", ""), "not a string"},
  };
}

class BadSafetensors : public testing::TestWithParam<Bad> {};

TEST_P(BadSafetensors, IsRefusedWithFileAndReason) {
  const std::string why = WhyRefused(GetParam().bytes);
  EXPECT_EQ(why.substr(0, 3), "f: ");
  EXPECT_NE(why.find(GetParam().why), std::string::npos) << why;
}

INSTANTIATE_TEST_SUITE_P(All, BadSafetensors, testing::ValuesIn(BadFiles()),
                         [](const auto& bad) { return std::string(bad.param.name); });

TEST(Safetensors, NamesInMessagesArePrintable) {
  const std::string why = WhyRefused(File("{\"\\u001b[31m\xc2\x9b\":1}", ""));
  for (char c : why) EXPECT_TRUE(c >= ' ' && c < 0x7f) << why;
}

TEST(SafetensorsWriter, RefusesNamesThatTheFormatCannotHold) {
  const TempFolder folder;
  PosixFileSystem disk;
  const float x = 1;
  const auto file = disk.Create(folder / "a");
  EXPECT_THROW(WriteSafetensors({Stored("__metadata__", {1}, &x)}, file.get()), ConfigError);
  EXPECT_THROW(WriteSafetensors({Stored("\xff", {1}, &x)}, file.get()), ConfigError);
  EXPECT_THROW(WriteSafetensors({Stored("a", {1}, &x), Stored("a", {1}, &x)}, file.get()),
               ConfigError);
}

}  // namespace
}  // namespace singa
