#include "io/checkpoint/blob_protos.h"

#include <gtest/gtest.h>

#include "io/checkpoint/sample.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

std::vector<Blob> Parse(const std::string& bytes, BlobValues values = BlobValues::kRead) {
  return ParseBlobProtos(std::as_bytes(std::span(bytes)), "f", values);
}

// Returns the error of the bytes; "" if there is none.
std::string ErrorOfBytes(const std::string& bytes) {
  try {
    Parse(bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}
std::string ErrorOfMessage(const BlobProtos& message) {
  return ErrorOfBytes(message.SerializeAsString());
}

TEST(BlobProtosTest, ReadsNamesVersionsShapesAndValues) {
  const std::vector<Blob> blobs = Parse(TwoBlobs().SerializeAsString());
  ASSERT_EQ(blobs.size(), 2u);
  EXPECT_EQ(blobs[0].name, "0#w1");
  EXPECT_EQ(blobs[0].shape, Shape({2, 3}));
  EXPECT_EQ(blobs[0].values, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(blobs[1].version, 101);
}

TEST(BlobProtosTest, NoBytesAreNoBlobs) { EXPECT_TRUE(Parse("").empty()); }

TEST(BlobProtosTest, ABlobMayHaveNoVersion) {
  BlobProtos message = TwoBlobs();
  message.mutable_version()->RemoveLast();
  const std::vector<Blob> blobs = Parse(message.SerializeAsString());
  EXPECT_EQ(blobs[0].version, 100);
  EXPECT_EQ(blobs[1].version, 0);
}

TEST(BlobProtosTest, CountsValuesWithoutReadingThem) {
  const std::vector<Blob> blobs = Parse(TwoBlobs().SerializeAsString(), BlobValues::kCount);
  EXPECT_EQ(blobs[0].shape, Shape({2, 3}));
  EXPECT_TRUE(blobs[0].values.empty());
}

TEST(BlobProtosTest, AFileWithIdsIsNotByV03) {
  BlobProtos message = TwoBlobs();
  EXPECT_TRUE(Parse(message.SerializeAsString())[0].by_v03);
  message.add_id(0);
  EXPECT_FALSE(Parse(message.SerializeAsString())[0].by_v03);
}

TEST(BlobProtosTest, TakesUnpackedPackedAndUnknownFields) {
  // The bytes: version 5 packed; name "a"; unknown field 9; blob: shape {1, 2} packed, data 1.0
  // unpacked and 2.0 packed.
  const std::string bytes(
      "\x1a\x01\x05\x22\x01"
      "a"
      "\x48\x07\x2a\x0f\x0a\x02\x01\x02\x15\x00\x00\x80\x3f"
      "\x12\x04\x00\x00\x00\x40",
      25);
  BlobProtos as_protobuf_reads;
  ASSERT_TRUE(as_protobuf_reads.ParseFromString(bytes));
  const std::vector<Blob> blobs = Parse(bytes);
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs[0].name, as_protobuf_reads.name(0));
  EXPECT_EQ(blobs[0].version, as_protobuf_reads.version(0));
  EXPECT_EQ(blobs[0].shape, Shape({1, 2}));
  EXPECT_EQ(blobs[0].values, (std::vector<float>{1, 2}));
}

TEST(BlobProtosTest, AnyCutIsRefusedOrIsAMessageItself) {
  const std::string good = TwoBlobs().SerializeAsString();
  int refused = 0;
  for (size_t size = 1; size < good.size(); ++size)
    refused += !ErrorOfBytes(good.substr(0, size)).empty();
  EXPECT_EQ(refused, static_cast<int>(good.size()) - 1 - 2);  // cuts behind a version parse
}

TEST(BlobProtosTest, RefusesAnotherNumberOfValuesThanTheShapes) {
  BlobProtos message = TwoBlobs();
  message.mutable_blob(0)->add_data(6);
  EXPECT_EQ(ErrorOfMessage(message), "f: param \"0#w1\" has 7 values, its shape (2, 3) needs 6");
  message = TwoBlobs();
  message.mutable_blob(0)->set_shape(0, 1 << 30);
  message.mutable_blob(0)->set_shape(1, 1 << 30);
  EXPECT_NE(ErrorOfMessage(message).find("has 6 values"), std::string::npos);
}

TEST(BlobProtosTest, RefusesShapesThatCannotBe) {
  BlobProtos message = TwoBlobs();
  message.mutable_blob(0)->set_shape(0, -2);
  message.mutable_blob(0)->set_shape(1, -3);
  EXPECT_EQ(ErrorOfMessage(message), "f: param \"0#w1\" has the shape (-2, -3)");
  for (int i = 0; i < 9; ++i) message.mutable_blob(0)->add_shape(1);
  EXPECT_EQ(ErrorOfMessage(message),
            StrCat("f: blob 0 has more than ", Shape::kMaxDims, " dimensions"));
}

TEST(BlobProtosTest, RefusesAnotherNumberOfNames) {
  BlobProtos message = TwoBlobs();
  message.add_name("0#w2");
  EXPECT_EQ(ErrorOfMessage(message), "f: has 3 names, but 2 blobs");
}

TEST(BlobProtosTest, RefusesALongName) {
  BlobProtos message = TwoBlobs();
  message.set_name(0, std::string(65537, 'x'));
  EXPECT_EQ(ErrorOfMessage(message), "f: has a name of 65537 bytes");
}

TEST(BlobProtosTest, RefusesSizesThatLeadOutOfTheFile) {
  // A blob claims 2 GiB - 1 bytes; the data of a blob claims as much.
  for (const std::string& bytes : {std::string("\x2a\xff\xff\xff\xff\x07\x12", 7),
                                   std::string("\x2a\x06\x12\xfc\xff\xff\xff\x07", 8)})
    EXPECT_NE(ErrorOfBytes(bytes).find("damaged near byte"), std::string::npos);
}

TEST(BlobProtosTest, AFileOfSomethingElseIsRefused) {
  const std::string error = ErrorOfBytes("name: \"mlp\"\n");
  EXPECT_NE(
      error.find("f: is no checkpoint of SINGA 0.3 (a BlobProtos message): damaged near byte"),
      std::string::npos)
      << error;
}

TEST(BlobProtosTest, ProtobufReadsWhatWeWrite) {
  const TempFolder folder;
  PosixFileSystem disk;
  BlobProtos expected = TwoBlobs();
  expected.add_id(0);  // v0.3 gives no id
  expected.add_id(0);
  const auto file = disk.Create(folder / "a");
  const float w[] = {0, 1, 2, 3, 4, 5}, b[] = {10, 11};
  WriteBlob("0#w1", 100, {2, 3}, w, file.get());
  WriteBlob("0#b1", 101, {2}, b, file.get());
  BlobProtos read;
  ASSERT_TRUE(read.ParseFromString(ReadAll(folder / "a")));
  EXPECT_EQ(read.SerializeAsString(), expected.SerializeAsString());
}

}  // namespace
}  // namespace singa
