#include "driver/onnx/import/onnx_model.h"

#include <algorithm>

#include "driver/onnx/import/node_order.h"
#include "driver/onnx/import/wire_fields.h"
#include "io/checkpoint/json_text.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"
#include "singa/tensor/shape.h"

namespace singa {
namespace {

// Limits for hostile files: an entry of two bytes in the file can take 200 bytes of memory.
constexpr size_t kMostEntries = 1 << 20;  // nodes, tensors, names and attributes, together
constexpr size_t kMostDims = 64;
constexpr size_t kMostIntegers = 1 << 20;  // in all attributes
constexpr size_t kMostNameBytes = 64 << 10;

class ModelReader {
 public:
  explicit ModelReader(const std::string& file) : file_(file) {}

  OnnxModel Read(std::string_view bytes) {
    bool has_graph = false;
    for (WireFields in(bytes, file_, "the model"); in.Next();) {
      if (in.field() == onnx::ModelProto::kOpsetImportFieldNumber) ReadOpset(in.Bytes());
      if (in.field() == onnx::ModelProto::kMetadataPropsFieldNumber)
        ReadEntry(in.Bytes(), "metadata_props", &model_.metadata);
      if (in.field() != onnx::ModelProto::kGraphFieldNumber) continue;
      ReadGraph(in.Bytes());
      has_graph = true;
    }
    if (!has_graph) Fail("is no ONNX model, or damaged: it has no graph");
    return std::move(model_);
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const { throw DataError(file_, -1, message); }

  void Count(size_t entries = 1) {
    entries_ += entries;
    if (entries_ > kMostEntries)
      Fail(StrCat("has more than ", kMostEntries, " nodes, tensors, names and attributes"));
  }

  std::string Name(const WireFields& in) {
    Count();
    if (in.Bytes().size() > kMostNameBytes)
      in.Fail(StrCat("has a name of ", in.Bytes().size(), " bytes"));
    return std::string(in.Bytes());
  }

  void ReadOpset(std::string_view bytes) {
    std::string domain;
    int64_t version = 0;
    for (WireFields in(bytes, file_, "an opset"); in.Next();) {
      if (in.field() == onnx::OperatorSetIdProto::kDomainFieldNumber) domain = Name(in);
      if (in.field() == onnx::OperatorSetIdProto::kVersionFieldNumber) version = in.Int();
    }
    if (domain.empty() || domain == "ai.onnx") model_.opset = version;
  }

  void ReadGraph(std::string_view bytes) {
    using Graph = onnx::GraphProto;
    for (WireFields in(bytes, file_, "the graph"); in.Next();) {
      switch (in.field()) {
        case Graph::kNodeFieldNumber:
          model_.nodes.push_back(ReadNode(in.Bytes()));
          break;
        case Graph::kInitializerFieldNumber:
          model_.constants.push_back(ReadTensor(in.Bytes()));
          break;
        case Graph::kSparseInitializerFieldNumber:
          Fail("has a sparse tensor, which an import does not read");
        case Graph::kInputFieldNumber:
          model_.inputs.push_back(ReadValueInfo(in.Bytes()));
          break;
        case Graph::kOutputFieldNumber:
          model_.outputs.push_back(ReadValueInfo(in.Bytes()));
          break;
        default:
          break;
      }
    }
  }

  OnnxNode ReadNode(std::string_view bytes) {
    using Node = onnx::NodeProto;
    Count();
    OnnxNode node;
    for (WireFields in(bytes, file_, "a node"); in.Next();) {
      switch (in.field()) {
        case Node::kInputFieldNumber:
          node.inputs.push_back(Name(in));
          break;
        case Node::kOutputFieldNumber:
          node.outputs.push_back(Name(in));
          break;
        case Node::kNameFieldNumber:
          node.name = Name(in);
          break;
        case Node::kOpTypeFieldNumber:
          node.op = Name(in);
          break;
        case Node::kDomainFieldNumber:
          node.domain = Name(in);
          break;
        case Node::kAttributeFieldNumber:
          node.attributes.push_back(ReadAttribute(in.Bytes()));
          break;
        default:
          break;
      }
    }
    return node;
  }

  void AddIntegers(const WireFields& in, std::vector<int64_t>* integers) {
    std::string_view rest = in.Numbers();
    for (uint64_t value = 0; !rest.empty();) {
      if (!WireFields::TakeVarint(&rest, &value)) in.Fail("has a damaged list of integers");
      if (++integers_ > kMostIntegers) in.Fail(StrCat("has over ", kMostIntegers, " integers"));
      integers->push_back(static_cast<int64_t>(value));
    }
  }

  OnnxAttribute ReadAttribute(std::string_view bytes) {
    using Attribute = onnx::AttributeProto;
    Count();
    OnnxAttribute attribute;
    for (WireFields in(bytes, file_, "an attribute"); in.Next();) {
      switch (in.field()) {
        case Attribute::kNameFieldNumber:
          attribute.name = Name(in);
          break;
        case Attribute::kFFieldNumber:
          attribute.number = in.Float();
          break;
        case Attribute::kIFieldNumber:
          attribute.integer = in.Int();
          break;
        case Attribute::kSFieldNumber:
          attribute.text = Name(in);
          break;
        case Attribute::kTFieldNumber:
          attribute.tensor = ReadTensor(in.Bytes());
          break;
        case Attribute::kStringsFieldNumber:
          attribute.texts.push_back(Name(in));
          break;
        case Attribute::kIntsFieldNumber:
          AddIntegers(in, &attribute.integers);
          break;
        case Attribute::kGFieldNumber:
        case Attribute::kGraphsFieldNumber:
          attribute.is_graph = true;
          break;
        default:
          break;
      }
    }
    return attribute;
  }

  OnnxTensor ReadTensor(std::string_view bytes) {
    using Tensor = onnx::TensorProto;
    Count();
    OnnxTensor tensor;
    for (WireFields in(bytes, file_, "a tensor"); in.Next();) {
      switch (in.field()) {
        case Tensor::kDimsFieldNumber:
          AddIntegers(in, &tensor.dims);
          break;
        case Tensor::kDataTypeFieldNumber:
          tensor.type = static_cast<int>(in.Int());
          break;
        case Tensor::kNameFieldNumber:
          tensor.name = Name(in);
          break;
        case Tensor::kRawDataFieldNumber:
          tensor.raw = in.Bytes();
          break;
        case Tensor::kFloatDataFieldNumber:
        case Tensor::kInt32DataFieldNumber:
        case Tensor::kInt64DataFieldNumber:
        case Tensor::kDoubleDataFieldNumber:
          Count();
          if (!in.Numbers().empty()) tensor.parts.push_back({in.field(), in.Numbers()});
          break;
        case Tensor::kExternalDataFieldNumber:
          ReadEntry(in.Bytes(), "a tensor's external_data", &tensor.external);
          break;
        case Tensor::kDataLocationFieldNumber:
          tensor.is_external = in.Int() == Tensor::EXTERNAL;
          break;
        default:
          break;
      }
    }
    CheckDims(tensor);
    return tensor;
  }

  void ReadEntry(std::string_view bytes, const char* what,
                 std::map<std::string, std::string>* entries) {
    std::string key, value;
    for (WireFields in(bytes, file_, what); in.Next();) {
      if (in.field() == onnx::StringStringEntryProto::kKeyFieldNumber) key = Name(in);
      if (in.field() == onnx::StringStringEntryProto::kValueFieldNumber) value = Name(in);
    }
    (*entries)[key] = value;
  }

  void CheckDims(const OnnxTensor& tensor) const {
    const std::string which = StrCat("tensor ", Quote(tensor.name));
    if (tensor.dims.size() > kMostDims)
      Fail(StrCat(which, " has ", tensor.dims.size(), " dims; the most are ", kMostDims));
    int64_t size = 1;
    for (int64_t dim : tensor.dims) {
      if (dim < 0) Fail(StrCat(which, " has a negative size, ", dim));
      if (__builtin_mul_overflow(size, dim, &size) || size > Shape::kMaxSize)
        Fail(StrCat(which, " has more than 2^40 numbers"));
    }
  }

  OnnxValueInfo ReadValueInfo(std::string_view bytes) {
    Count();
    OnnxValueInfo value;
    for (WireFields in(bytes, file_, "an input or output"); in.Next();) {
      if (in.field() == onnx::ValueInfoProto::kNameFieldNumber) value.name = Name(in);
      if (in.field() != onnx::ValueInfoProto::kTypeFieldNumber) continue;
      for (WireFields type(in.Bytes(), file_, "a type"); type.Next();)
        if (type.field() == onnx::TypeProto::kTensorTypeFieldNumber)
          ReadTensorType(type.Bytes(), &value);
    }
    return value;
  }

  void ReadTensorType(std::string_view bytes, OnnxValueInfo* value) {
    for (WireFields in(bytes, file_, "a tensor's type"); in.Next();) {
      if (in.field() == onnx::TypeProto_Tensor::kElemTypeFieldNumber)
        value->type = static_cast<int>(in.Int());
      if (in.field() != onnx::TypeProto_Tensor::kShapeFieldNumber) continue;
      value->has_shape = true;
      for (WireFields shape(in.Bytes(), file_, "a shape"); shape.Next();)
        if (shape.field() == onnx::TensorShapeProto::kDimFieldNumber)
          value->dims.push_back(ReadDim(shape.Bytes()));
    }
  }

  int64_t ReadDim(std::string_view bytes) {
    Count();
    int64_t size = -1;
    for (WireFields in(bytes, file_, "a size"); in.Next();)
      if (in.field() == onnx::TensorShapeProto_Dimension::kDimValueFieldNumber) size = in.Int();
    return size > 0 ? size : -1;  // some programs write 0 for a free size
  }

  const std::string& file_;
  OnnxModel model_;
  size_t entries_ = 0, integers_ = 0;
};

}  // namespace

int64_t OnnxTensor::size() const {
  int64_t size = 1;
  for (int64_t dim : dims) size *= dim;
  return size;
}

std::string OnnxNode::Text() const {
  const std::string& shown = !name.empty() || outputs.empty() ? name : outputs[0];
  return StrCat("node ", Quote(shown), " (", Printable(op), ")");
}

const OnnxAttribute* OnnxNode::Find(const std::string& wanted) const {
  const auto it = std::find_if(attributes.begin(), attributes.end(),
                               [&](const OnnxAttribute& one) { return one.name == wanted; });
  return it == attributes.end() ? nullptr : &*it;
}

OnnxModel ReadOnnxModel(std::span<const std::byte> bytes, const std::string& file) {
  ModelReader reader(file);
  OnnxModel model = reader.Read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  SortNodes(file, &model);
  return model;
}

}  // namespace singa
