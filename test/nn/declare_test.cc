#include "singa/nn/declare.h"

#include <google/protobuf/text_format.h>

#include "support/layer_test.h"

namespace singa {
namespace {

class DeclareTest : public testing::Test {
 protected:
  // Returns what a layer of this conf declares.
  Declare Of(const std::string& conf, const std::string& net = "") {
    LayerProto layer;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(conf, &layer)) << conf;
    return Declare(layer, &table_, {"layer[" + layer.name() + "]", net});
  }
  ParamTable table_;
};

TEST_F(DeclareTest, AParamHasItsNameOrThatOfItsLayer) {
  Declare declare = Of("name: 'fc' param { name: 'w' }");
  const Param* const w = declare.Param(0, {2, 3});
  EXPECT_EQ(w->name(), "w");
  EXPECT_EQ(w->shape(), Shape({2, 3}));
  EXPECT_EQ(declare.Param(1, {3})->name(), "fc_1");
  EXPECT_EQ(declare.declared().params.size(), 2u);
  EXPECT_EQ(table_.Find("w"), w);
  EXPECT_EQ(table_.Find("v"), nullptr);
}

TEST_F(DeclareTest, AFirstValueIsForParamsWithoutAnInit) {
  Declare declare = Of("name: 'bn' param {} param { init { type: kGaussian } }");
  EXPECT_EQ(declare.Param(0, {2}, 1)->conf().init().value(), 1);
  EXPECT_EQ(declare.Param(0, {2}, 1)->conf().init().type(), kConstant);
  EXPECT_EQ(declare.Param(1, {2}, 1)->conf().init().type(), kGaussian);
}

TEST_F(DeclareTest, ADefaultIsForParamsWithoutAnInit) {
  Declare declare = Of("name: 'fc' param { name: 'w' lr_scale: 2 } param { init {} }");
  const Param* const w = declare.Param(0, {2}, UniformValues(0.25));
  EXPECT_EQ(w->name(), "w");
  EXPECT_EQ(w->conf().lr_scale(), 2);
  EXPECT_EQ(w->conf().init().type(), kUniform);
  EXPECT_EQ(w->conf().init().low(), -0.25f);
  EXPECT_EQ(w->conf().init().high(), 0.25f);
  EXPECT_FALSE(declare.Param(1, {2}, UniformValues(1))->conf().init().has_type());
  EXPECT_EQ(declare.Param(2, {2}, GaussianValues(3))->conf().init().std(), 3);
}

TEST_F(DeclareTest, AParamWithoutADefaultHasNoInit) {
  Declare declare = Of("name: 'user'");
  EXPECT_FALSE(declare.Param(0, {2})->conf().has_init());
}

TEST_F(DeclareTest, ADefaultIsOfTheWholeParam) {
  const Param* const part =
      Of("name: 'fc'").Param(0, {6, 2}, {.first = 2, .count = 3, .all = 6}, ConstantValues(7));
  EXPECT_EQ(part->shape(), Shape({3, 2}));
  EXPECT_EQ(part->Whole()->shape(), Shape({6, 2}));
  EXPECT_EQ(part->Whole()->conf().init().value(), 7);
}

TEST_F(DeclareTest, ALayerMayLeaveAGradientToOthers) {
  Declare declare = Of("name: 'fc'");
  const Param *const a = declare.Param(0, {2}), *const b = declare.Param(1, {2});
  declare.GivesNoGradient(a);
  EXPECT_EQ(declare.declared().given, std::vector<Param*>{const_cast<Param*>(b)});
  EXPECT_EQ(declare.declared().params.size(), 2u);
}

TEST_F(DeclareTest, SourcesAreCounted) {
  Declare declare = Of("name: 'x'");
  Port port;
  const std::vector<Port*> ports(3, &port);
  const auto sources = [&](size_t count, int least, int most) {
    declare.Sources(Inputs(ports).first(count), least, most);
  };
  EXPECT_NO_THROW(sources(2, 1, 3));
  EXPECT_CONFIG_ERROR_SAYS(sources(0, 1, 1), "srclayers", "needs 1 source, has 0");
  EXPECT_CONFIG_ERROR_SAYS(sources(3, 2, 2), "srclayers#2", "needs 2 sources, has 3");
  EXPECT_CONFIG_ERROR_SAYS(sources(1, 2, 3), "srclayers", "needs from 2 to 3 sources, has 1");
}

TEST_F(DeclareTest, ScratchIsTheMostAndKeptMemoryTheSum) {
  Declare declare = Of("name: 'x'");
  declare.Scratch(10);
  declare.Scratch(7);
  declare.Keeps(10);
  declare.Keeps(7);
  EXPECT_EQ(declare.declared().scratch, 10);
  EXPECT_EQ(declare.declared().kept, 17);
}

TEST_F(DeclareTest, StateOfRowsKnowsWhichRowsItIsOf) {
  Declare declare = Of("name: 'gru'");
  declare.RowBuffer("state", {2, 5}, {.first = 4, .rows = 2, .batch = 6});
  EXPECT_EQ(declare.declared().buffers[0].span.first, 4);
  EXPECT_EQ(declare.declared().buffers[0].span.batch, 6);
  // A worker alone may have another number of rows, such as those of joined batches.
  declare.RowBuffer("alone", {3, 5}, {.first = 0, .rows = 6, .batch = 6});
  EXPECT_EQ(declare.declared().buffers[1].span.rows, 3);
  EXPECT_EQ(declare.declared().buffers[1].span.batch, 3);
  EXPECT_CONFIG_ERROR_SAYS(
      declare.RowBuffer("part", {3, 5}, {.first = 4, .rows = 2, .batch = 6}), "srclayers",
      "the source gives 3 rows for the worker's 2 of the batch: must be as many");
}

TEST_F(DeclareTest, AMetricIsAMeanOrItsExponential) {
  Declare declare = Of("name: 'loss'");
  EXPECT_FALSE(declare.Metric("loss")->exponential);
  EXPECT_TRUE(declare.ExponentialMetric("ppl")->exponential);
  EXPECT_EQ(declare.DerivedMetric("r2", 3, [](auto) { return 0.; })->parts, 3);
  EXPECT_EQ(declare.declared().metrics[4].name, "r2.2");
  EXPECT_TRUE(declare.declared().metrics[4].hidden);
  EXPECT_EQ(declare.declared().metrics[1].name, "ppl");
  EXPECT_EQ(declare.declared().metrics[0].cell.shape(), Shape({2}));
}

}  // namespace
}  // namespace singa
