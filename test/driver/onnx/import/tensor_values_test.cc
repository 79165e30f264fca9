// Tests the numbers of constants: their types, lists, and files beside the model.
#include "driver/onnx/import/tensor_values.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "driver/onnx/import/onnx_model.h"
#include "io/temp_dir.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"

namespace singa::tensor_values {
namespace {

using Kind = onnx::TensorProto;

// Returns a tensor of this type, with the sizes and the bytes.
Kind Raw(Kind::DataType type, const std::vector<int64_t>& dims, const std::string& bytes) {
  Kind tensor;
  tensor.set_name("w");
  tensor.set_data_type(type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(bytes);
  return tensor;
}

// Returns a tensor whose numbers are in a list that the caller fills.
Kind Listed(Kind::DataType type, int64_t size) {
  Kind tensor = Raw(type, {size}, "");
  tensor.clear_raw_data();
  return tensor;
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class TensorValuesTest : public testing::Test {
 protected:
  std::vector<float> Floats(const Kind& tensor) {
    return TensorValues(file_).Floats(Read(tensor).constants[0]);
  }
  std::vector<int64_t> Integers(const Kind& tensor) {
    return TensorValues(file_).Integers(Read(tensor).constants[0]);
  }
  // Returns a tensor of two floats in another file, `place` of which is "key=value".
  static Kind External(const std::vector<std::string>& place) {
    Kind tensor = Listed(Kind::FLOAT, 2);
    tensor.set_data_location(Kind::EXTERNAL);
    for (const std::string& entry : place) {
      onnx::StringStringEntryProto& one = *tensor.add_external_data();
      one.set_key(entry.substr(0, entry.find('=')));
      one.set_value(entry.substr(entry.find('=') + 1));
    }
    return tensor;
  }

  const TempDir dir_;
  const std::string file_ = dir_.Path("net.onnx");

 private:
  // The model points into bytes_.
  OnnxModel Read(const Kind& tensor) {
    onnx::ModelProto model;
    *model.mutable_graph()->add_initializer() = tensor;
    bytes_ = model.SerializeAsString();
    return ReadOnnxModel(std::as_bytes(std::span(bytes_)), file_);
  }
  std::string bytes_;
};

TEST_F(TensorValuesTest, FloatsAreOfFourTypes) {
  const std::vector<float> expected = {1.5f, -2};
  EXPECT_EQ(Floats(Raw(Kind::FLOAT, {2}, BytesOf<float>({1.5f, -2}))), expected);
  EXPECT_EQ(Floats(Raw(Kind::DOUBLE, {1, 2}, BytesOf<double>({1.5, -2}))), expected);
  EXPECT_EQ(Floats(Raw(Kind::FLOAT16, {2}, BytesOf<uint16_t>({0x3e00, 0xc000}))), expected);
  EXPECT_EQ(Floats(Raw(Kind::BFLOAT16, {2}, BytesOf<uint16_t>({0x3fc0, 0xc000}))), expected);
}

TEST_F(TensorValuesTest, FloatsMayBeInLists) {
  const std::vector<float> expected = {1.5f, -2};
  Kind floats = Listed(Kind::FLOAT, 2), doubles = Listed(Kind::DOUBLE, 2);
  Kind halves = Listed(Kind::FLOAT16, 2), brains = Listed(Kind::BFLOAT16, 2);
  for (const float value : expected) floats.add_float_data(value), doubles.add_double_data(value);
  for (const int bits : {0x3e00, 0xc000}) halves.add_int32_data(bits);
  for (const int bits : {0x3fc0, 0xc000}) brains.add_int32_data(bits);
  for (const Kind* const tensor : {&floats, &doubles, &halves, &brains})
    EXPECT_EQ(Floats(*tensor), expected) << tensor->data_type();
}

TEST_F(TensorValuesTest, IntegersAreOfTwoTypes) {
  const std::vector<int64_t> expected = {7, -1};
  EXPECT_EQ(Integers(Raw(Kind::INT64, {2}, BytesOf<int64_t>({7, -1}))), expected);
  EXPECT_EQ(Integers(Raw(Kind::INT32, {2}, BytesOf<int32_t>({7, -1}))), expected);
  Kind wide = Listed(Kind::INT64, 2), narrow = Listed(Kind::INT32, 2);
  for (const int value : {7, -1}) wide.add_int64_data(value), narrow.add_int32_data(value);
  EXPECT_EQ(Integers(wide), expected);
  EXPECT_EQ(Integers(narrow), expected);
}

TEST_F(TensorValuesTest, OtherTypesAreNamed) {
  EXPECT_ERROR(Floats(Raw(Kind::STRING, {1}, "abcd")), kExitBadData,
               "tensor \"w\" has numbers of STRING; must be FLOAT, DOUBLE, FLOAT16 or BFLOAT16");
  EXPECT_ERROR(Integers(Raw(Kind::FLOAT, {1}, "abcd")), kExitBadData, "must be INT64 or INT32");
  Kind unknown = Raw(Kind::FLOAT, {1}, "abcd");
  unknown.set_data_type(99);
  EXPECT_ERROR(Floats(unknown), kExitBadData, "has numbers of type 99");
  Kind other_list = Listed(Kind::FLOAT, 1);
  other_list.add_int64_data(1);
  EXPECT_ERROR(Floats(other_list), kExitBadData,
               "of FLOAT has numbers in the list of another type");
}

TEST_F(TensorValuesTest, MustBeAsManyAsTheShapeSays) {
  EXPECT_ERROR(Floats(Raw(Kind::FLOAT, {1}, "abc")), kExitBadData,
               "has 3 bytes; its 1 numbers of FLOAT have 4 each");
  Kind more = Listed(Kind::INT64, 1), fewer = Listed(Kind::INT64, 3);
  for (Kind* const tensor : {&more, &fewer}) tensor->add_int64_data(1), tensor->add_int64_data(2);
  EXPECT_ERROR(Integers(more), kExitBadData, "has more numbers than its shape, which has 1");
  EXPECT_ERROR(Integers(fewer), kExitBadData, "has 2 numbers; its shape has 3");
}

TEST_F(TensorValuesTest, MayBeInAFileBesideTheModel) {
  dir_.Write("w.bin", "1234" + BytesOf<float>({1.5f, -2}));
  EXPECT_EQ(Floats(External({"location=w.bin", "offset=4"})), (std::vector<float>{1.5f, -2}));
  EXPECT_EQ(Floats(External({"location=w.bin", "offset=4", "length=8"}))[1], -2);
}

TEST_F(TensorValuesTest, OfAFileMustLieInIt) {
  dir_.Write("w.bin", "12345678");
  EXPECT_ERROR(Floats(External({"location=w.bin", "offset=4", "length=8"})), kExitBadData,
               "has 8 bytes from 4 on in \"w.bin\", which has 8 bytes");
  EXPECT_ERROR(Floats(External({"location=w.bin", "offset=9"})), kExitBadData, "from 9 on in");
  EXPECT_ERROR(Floats(External({"location=w.bin", "length=4"})), kExitBadData, "has 4 bytes;");
  for (const char* const number : {"x", "-1", "1x", ""})
    EXPECT_ERROR(Floats(External({"location=w.bin", StrCat("offset=", number)})), kExitBadData,
                 "has the offset", "which is no number >= 0");
}

TEST_F(TensorValuesTest, OfAFileOutsideOfTheFolderAreRefused) {
  dir_.Write("w.bin", "12345678");
  std::filesystem::create_symlink("w.bin", dir_.Path("link"));
  EXPECT_ERROR(Floats(External({})), kExitBadData, "is in another file, but has no location");
  EXPECT_ERROR(Floats(External({"location=" + dir_.Path("w.bin")})), kExitBadData,
               "is no relative path; external data must be in the folder of the model");
  EXPECT_ERROR(Floats(External({"location=../w.bin"})), kExitBadData, "leaves the folder");
  EXPECT_ERROR(Floats(External({"location=link"})), kExitBadData, "is a link, or lies behind one");
  EXPECT_ERROR(Floats(External({"location=none"})), kExitNoInput, "none");
}

// Each node of a graph may name the same large constant.
TEST_F(TensorValuesTest, AreNotReadWithoutEnd) {
  const std::string bytes = BytesOf(std::vector<float>(1 << 17));
  OnnxTensor tensor = {.name = "w", .dims = {1 << 17}, .type = Kind::FLOAT, .raw = bytes};
  TensorValues values(file_);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(values.Floats(tensor).size(), 1u << 17);
  EXPECT_ERROR(for (int i = 0; i < 256; ++i) values.Floats(tensor), kExitBadData,
               "tensor \"w\" is large, and read by too many nodes");
}

}  // namespace
}  // namespace singa::tensor_values
