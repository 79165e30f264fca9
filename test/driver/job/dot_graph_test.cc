#include "driver/job/dot_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "driver/job/block_name.h"
#include "support/net_test.h"

namespace singa::dot_graph {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BlockOf, IsTheNameUpToItsNumber) {
  const std::vector<std::pair<std::string, std::string>> blocks = {{"a1conv2", "a1"},
                                                                   {"a1", "a1"},
                                                                   {"b12sum", "b12"},
                                                                   {"res2a_branch1", "res2a"},
                                                                   {"h3_attention", "h3"},
                                                                   {"a1conv1_x", "a1"},
                                                                   {"features.0", "features"},
                                                                   {"layers.3.mlp.fc1", "layers.3"},
                                                                   {"encoder/norm", "encoder"},
                                                                   {"loss", ""},
                                                                   {"", ""},
                                                                   {".", ""}};
  for (const auto& [name, block] : blocks) EXPECT_EQ(BlockOf(name), block) << name;
}

// Two residual blocks; their source has two readers, so a kSplit is inserted.
constexpr char kNet[] = R"(
  layer { name: "data" type: kDummy dummy_conf { input: true shape: 2 shape: 3 } }
  layer { name: "a0" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 4 } }
  layer { name: "a1fc" type: kInnerProduct srclayers: "a0" param { name: "w" }
          innerproduct_conf { num_output: 4 bias_term: false } }
  layer { name: "a1relu" type: kReLU srclayers: "a1fc" }
  layer { name: "a1" type: kEltwise srclayers: "a1relu" srclayers: "a0" }
  layer { name: "end" type: kDummy srclayers: "a1" dummy_conf { output: true } })";

std::string Row(const std::string& name, const std::string& type, const std::string& shape,
                const std::string& params, const std::string& colour) {
  const auto cell = [&](const std::string& align, const std::string& text) {
    return "<td align=\"" + align + "\" bgcolor=\"" + colour + "\">" + text + "</td>";
  };
  return "<tr>" + cell("left", "<b>" + name + "</b>") + cell("left", type) + cell("left", shape) +
         cell("right", params) + "</tr>";
}

TEST(GraphDot, AChainIsABoxWithARowForEachLayer) {
  const TestNet test(kNet, {}, false);
  const std::string dot = GraphDot(test.net, "a net");
  EXPECT_THAT(dot, HasSubstr("digraph \"a net\" {"));
  EXPECT_THAT(dot, HasSubstr("<b>a net</b>: 6 layers, 32 parameters"));
  EXPECT_THAT(dot, HasSubstr(Row("a1fc", "kInnerProduct", "(2, 4)", "16", "#c9dff5") +
                             Row("a1relu", "kReLU", "(2, 4)", "", "#eef2f7") + "</table>"));
}

TEST(GraphDot, ABlockHasAFrameWithItsParameters) {
  const TestNet test(kNet, {}, false);
  const std::string dot = GraphDot(test.net, "");
  EXPECT_THAT(dot, HasSubstr("label=\"a1: 16 parameters\""));
  EXPECT_THAT(dot, Not(HasSubstr("cluster_a0")));  // one layer is no block
}

TEST(GraphDot, InsertedLayersAndParamsAreShownIfAsked) {
  const TestNet test(kNet, {}, false);
  const std::string few = GraphDot(test.net, ""), all = GraphDot(test.net, "", true);
  EXPECT_THAT(few, Not(HasSubstr("split(a0)")));
  EXPECT_THAT(few, Not(HasSubstr("w (4, 4)")));
  EXPECT_THAT(all, HasSubstr("split(a0)"));
  EXPECT_THAT(all, HasSubstr("w (4, 4)"));
}

TEST(GraphDot, EdgesGoAroundLayersThatAreNotShown) {
  const TestNet test(kNet, {}, false);
  std::string dot = GraphDot(test.net, "");
  int edges = 0;
  for (size_t at = 0; (at = dot.find(" -> ", at)) != std::string::npos; ++at) ++edges;
  EXPECT_EQ(edges, 4) << dot;  // from a0 to a1fc and a1, from a1relu to a1, from a1 to the end
}

TEST(GraphDot, NamesCannotEndAStringOrATag) {
  const TestNet test(
      R"(layer { name: "a\"b\\c\nd<e>&" type: kDummy dummy_conf { input: true shape: 1 shape: 1 } })",
      {}, false);
  EXPECT_THAT(GraphDot(test.net, "x\"\x7f"), HasSubstr("digraph \"x\\\"?\" {\n"));
  EXPECT_THAT(GraphDot(test.net, ""), HasSubstr("<b>a&quot;b\\c?d&lt;e&gt;&amp;</b>"));
}

TEST(GraphDot, NamesOfOtherBytesBecomeUtf8) {
  const TestNet test(
      "layer { name: 'caf\xe9' type: kDummy dummy_conf { input: true shape: 1 shape: 1 } }", {},
      false);
  EXPECT_THAT(GraphDot(test.net, ""), HasSubstr("<b>caf\xef\xbf\xbd</b>"));
}

TEST(GraphDot, WorkersHaveColours) {
  TestNet test(kNet, {}, false);
  for (const char* const colour : {"black", "red", "yellow", "blue", "black"}) {
    EXPECT_THAT(GraphDot(test.net, ""),
                HasSubstr(StrCat("color=\"", colour,
                                 "\"><tr><td align=\"left\" bgcolor=\"#eef2f7\"><b>data")));
    ++test.net.nodes()[0].part;
  }
}

}  // namespace
}  // namespace singa::dot_graph
