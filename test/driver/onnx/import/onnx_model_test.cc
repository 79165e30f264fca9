// Tests what is refused of a file, before any node of it is read.
#include "driver/onnx/import/onnx_model.h"

#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::onnx_model {
namespace {

// Returns a model: y is the ReLU of x.
onnx::ModelProto ReluModel() {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"y"}, {OnnxInts("list", {1, 2, 300})});
  Constant(&graph, {3});
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(graph.Serialize("net")));
  return model;
}

// Returns the error of a model that `change` has changed.
template <typename Change>
std::string RefusalAfter(const Change& change) {
  onnx::ModelProto model = ReluModel();
  change(&model);
  return ImportRefusalOf(model.SerializeAsString());
}

TEST(OnnxModel, OpsetsThatAreTooOldOrTooNewAreRefused) {
  for (const int64_t version : {8, 29})
    ExpectText(RefusalAfter([&](onnx::ModelProto* model) {
                 model->mutable_opset_import(0)->set_version(version);
               }),
               StrCat("is of opset ", version, "; an import reads opsets 9 to 28"));
}

TEST(OnnxModel, AnOpsetOfAnotherDomainDoesNotCount) {
  EXPECT_EQ(RefusalAfter([](onnx::ModelProto* model) {
              onnx::OperatorSetIdProto* const other = model->add_opset_import();
              other->set_domain("com.example");
              other->set_version(1);
            }),
            "");
}

TEST(OnnxModel, OperatorsOfOtherDomainsAreRefused) {
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()->mutable_node(0)->set_domain("com.example");
             }),
             "no layer computes this operator of \"com.example\"");
}

TEST(OnnxModel, TheFirstTwentyRefusalsAreListed) {
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               for (int i = 0; i < 22; ++i) {
                 onnx::NodeProto* const node = model->mutable_graph()->add_node();
                 node->set_op_type("TopK");
                 node->add_input("x");
                 node->add_output(StrCat("v", i));
               }
             }),
             "; and 2 more");
}

TEST(OnnxModel, AModelHasOneInputOfFloatsOrATextOfTwoSizes) {
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               onnx::ValueInfoProto* const input = model->mutable_graph()->add_input();
               *input = model->graph().input(0);
               input->set_name("z");
             }),
             "has two inputs or more, \"x\" and \"z\"");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()
                   ->mutable_input(0)
                   ->mutable_type()
                   ->mutable_tensor_type()
                   ->set_elem_type(onnx::TensorProto::INT64);
             }),
             "input \"x\" has integers; an import reads them as texts, of the sizes (N, T) or");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()->mutable_node(0)->set_input(0, "k");
               model->mutable_graph()->clear_input();
             }),
             "has no input");
}

// Old files list constants as inputs, too.
TEST(OnnxModel, AnInputThatIsAConstantDoesNotCount) {
  EXPECT_EQ(RefusalAfter([](onnx::ModelProto* model) {
              model->mutable_graph()->add_input()->set_name("k");
            }),
            "");
}

TEST(OnnxModel, SizesOfARowMustBeKnownAndInRange) {
  const auto refusal = [](const OnnxDims& dims) {
    OnnxGraph graph = GraphOf(dims);
    graph.Add("Relu", {"x"}, {"y"});
    return ImportRefusalOf(&graph);
  };
  ExpectText(refusal({"N", 3, "h", 8}), "has a free size beside the batch; -shape c,h,w gives it");
  ExpectText(refusal({"N"}), "has no shape of rows; -shape c,h,w gives it");
  ExpectText(refusal({"N", int64_t{1} << 31}), "has rows of (2147483648); a row has at most");
}

TEST(OnnxModel, TheOptionGivesSizesThatTheModelLeavesFree) {
  OnnxGraph graph = GraphOf({"N", 3, "h", "w"});
  graph.Add("Relu", {"x"}, {"y"});
  const JobProto job = ImportGraph(&graph, {.shape = {3, 4, 5}, .loss = "none"}).job;
  const StoreProto& store = job.neuralnet().layer(0).store_conf();
  ASSERT_EQ(store.shape_size(), 3);
  EXPECT_EQ(store.shape(2), 5);
}

TEST(OnnxModel, EachValueIsGivenOnce) {
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               *model->mutable_graph()->add_node() = model->graph().node(0);
             }),
             "gives \"y\", which another node, an input or a constant gives, too");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()->mutable_node(0)->set_input(0, "none");
             }),
             "reads \"none\", which nothing gives");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()->mutable_output(0)->set_name("none");
             }),
             "no node gives output \"none\"");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) { model->mutable_graph()->clear_output(); }),
             "has no output");
}

TEST(OnnxModel, TensorsHaveBoundedSizes) {
  const auto refusal = [](const std::vector<int64_t>& dims) {
    return RefusalAfter([&](onnx::ModelProto* model) {
      onnx::TensorProto* const tensor = model->mutable_graph()->mutable_initializer(0);
      tensor->clear_dims();
      for (const int64_t dim : dims) tensor->add_dims(dim);
    });
  };
  ExpectText(refusal({3, -1}), "tensor \"k\" has a negative size, -1");
  ExpectText(refusal({1 << 30, 1 << 30, 1 << 30}), "tensor \"k\" has more than 2^40 numbers");
  ExpectText(refusal(std::vector<int64_t>(65, 1)), "tensor \"k\" has 65 dims; the most are 64");
}

TEST(OnnxModel, SparseTensorsAndLongNamesAreRefused) {
  ExpectText(RefusalAfter(
                 [](onnx::ModelProto* model) { model->mutable_graph()->add_sparse_initializer(); }),
             "has a sparse tensor, which an import does not read");
  ExpectText(RefusalAfter([](onnx::ModelProto* model) {
               model->mutable_graph()->mutable_node(0)->set_name(std::string(70000, 'a'));
             }),
             "has a name of 70000 bytes");
}

// Field 7 of a model is its graph.
TEST(OnnxModel, DamagedBytesAreNamed) {
  ExpectText(ImportRefusalOf(std::string()), "is no ONNX model, or damaged: it has no graph");
  ExpectText(ImportRefusalOf(std::string("\x38\x01")), "has field 7 of another type than ONNX");
  ExpectText(ImportRefusalOf(std::string("\x3b")), "has field 7 of an unknown wire type");
  ExpectText(ImportRefusalOf(std::string("\x3a\x05z")), "ends early: field 7 has 5 bytes, and 1");
  ExpectText(ImportRefusalOf(std::string("\x3a\x80")), "ends early, in field 7");
  ExpectText(ImportRefusalOf(std::string("\x38\xff")), "ends early, in field 7");
  ExpectText(ImportRefusalOf(std::string(1, '\0')), "has a field without a valid number");
}

TEST(OnnxModel, ACutFileIsAnError) {
  const std::string whole = ReluModel().SerializeAsString();
  ASSERT_EQ(ImportRefusalOf(whole), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(ImportRefusalOf(whole.substr(0, size)).find("net.onnx: "), 0u) << size;
  }
}

}  // namespace
}  // namespace singa::onnx_model
