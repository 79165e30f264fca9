#include "singa/nn/param_table.h"

#include <google/protobuf/text_format.h>

#include <string>
#include <vector>

#include "singa/nn/declare.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class ParamTableTest : public testing::Test {
 protected:
  // Returns a Declare of a layer of this conf, which gets its params from table_.
  Declare Of(const std::string& conf, const std::string& net = "") {
    LayerProto layer;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(conf, &layer)) << conf;
    return Declare(layer, &table_, {"layer[" + layer.name() + "]", net});
  }
  static std::vector<ParamScaleProto> Scales(const std::vector<std::string>& confs) {
    std::vector<ParamScaleProto> scales;
    for (const std::string& conf : confs)
      EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(conf, &scales.emplace_back()))
          << conf;
    return scales;
  }
  void Expect(const std::string& name, const std::string& share_from = "") {
    ParamProto conf;
    conf.set_name(name);
    if (!share_from.empty()) conf.set_share_from(share_from);
    table_.Expect(conf, "owner", "layer[owner].param[0]");
  }

  ParamTable table_;
};

TEST_F(ParamTableTest, ANetOfAnotherPhaseGetsTheSameParam) {
  const Param* const w = Of("name: 'fc' param { name: 'w' }").Param(0, {2});
  EXPECT_EQ(Of("name: 'fc' param { name: 'w' }").Param(0, {2}), w);
  const Param* const number = Of("name: 'scale' param { name: 's' }").Param(0, Shape());
  EXPECT_EQ(Of("name: 'scale' param { name: 's' }").Param(0, Shape()), number);
  EXPECT_EQ(Of("name: 'other' param { name: 'w' }").Param(0, {2}), w);  // both are named
}

TEST_F(ParamTableTest, ADefaultNameIsNotShared) {
  Of("name: 'fc'").Param(0, {2});
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'top' param { name: 'fc_0' }").Param(0, {2}), "param[0].name",
                           "a param of layer \"fc\" has the name \"fc_0\" too; to share its "
                           "values, use share_from");
}

TEST_F(ParamTableTest, ShapesOfOneParamAgree) {
  Of("name: 'fc' param { name: 'w' }", "kTrain").Param(0, {2, 3});
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'top' param { name: 'w' }", "kTrain").Param(0, {3, 2}),
                           "param[0]",
                           "param \"w\" of layer \"fc\" has the shape (2, 3); layer \"top\" needs "
                           "(3, 2) here");
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'fc' param { name: 'w' }", "kTest").Param(0, {3, 2}),
                           "param[0]",
                           "has the shape (2, 3) in kTrain; layer \"fc\" needs (3, 2) in kTest");
}

TEST_F(ParamTableTest, AParamMayBeSharedBeforeItsOwnerIsSetUp) {
  Expect("w");
  const Param* const shared = Of("name: 'top' param { share_from: 'w' }").Param(0, {2});
  EXPECT_EQ(shared->name(), "w");
  EXPECT_EQ(shared->layer(), "owner");
  EXPECT_EQ(Of("name: 'owner' param { name: 'w' }").Param(0, {2}), shared);
  EXPECT_CONFIG_ERROR(Of("name: 'more' param { share_from: 'w' }").Param(0, {3}),
                      "param[0].share_from");
}

TEST_F(ParamTableTest, TheDefaultOfASharedParamIsItsOwners) {
  for (const bool owner_first : {true, false}) {
    table_ = ParamTable();
    Expect("w");
    const auto owner = [&] {
      return Of("name: 'owner' param { name: 'w' }").Param(0, {2}, GaussianValues(1));
    };
    const auto sharer = [&] {
      return Of("name: 'top' param { share_from: 'w' }").Param(0, {2}, UniformValues(0.5));
    };
    if (owner_first) owner();
    EXPECT_EQ(sharer()->conf().has_init(), owner_first);
    EXPECT_EQ(owner()->conf().init().type(), kGaussian);
    EXPECT_EQ(sharer()->conf().init().type(), kGaussian);
  }
}

TEST_F(ParamTableTest, ADefaultNameMayBeSharedFrom) {
  const Param* const bias = Of("name: 'fc' param { }").Param(1, {2});
  EXPECT_EQ(Of("name: 'top' param { share_from: 'fc_1' }").Param(0, {2}), bias);
  EXPECT_EQ(bias->layer(), "fc");
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'x' param { share_from: 'fc_l' }").Param(0, {2}),
                           "param[0].share_from", "no param \"fc_l\"; did you mean \"fc_1\"?");
}

TEST_F(ParamTableTest, AParamThatIsSharedMustBeAnOwner) {
  Expect("weight");
  Expect("copy", "weight");
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'x' param { share_from: 'weigth' }").Param(0, {2}),
                           "param[0].share_from", "no param \"weigth\"; did you mean \"weight\"?");
  EXPECT_CONFIG_ERROR_SAYS(Of("name: 'x' param { share_from: 'copy' }").Param(0, {2}),
                           "param[0].share_from",
                           "param \"copy\" itself shares from \"weight\"; name that");
}

TEST_F(ParamTableTest, TheLastPatternThatHasAFactorGivesIt) {
  table_.ScaleBy(Scales({"names: 'conv*' lr_scale: 0.1 wd_scale: 0.5", "names: '*_1' wd_scale: 0",
                         "names: 'conv2*' lr_scale: 0"}));
  Declare conv1 = Of("name: 'conv1'");
  const Param *const w = conv1.Param(0, {2}), *const b = conv1.Param(1, {2});
  EXPECT_EQ(w->conf().lr_scale(), 0.1f);
  EXPECT_EQ(w->conf().wd_scale(), 0.5f);
  EXPECT_EQ(b->conf().lr_scale(), 0.1f);
  EXPECT_EQ(b->conf().wd_scale(), 0);
  EXPECT_TRUE(b->trains());
  EXPECT_FALSE(Of("name: 'conv2'").Param(0, {2})->trains());
  EXPECT_FALSE(table_.Wholes().Find("conv2_0")->trains());
  EXPECT_EQ(Of("name: 'fc'").Param(0, {2})->conf().lr_scale(), 1);
}

TEST_F(ParamTableTest, TheFactorsOfAParamItselfWin) {
  table_.ScaleBy(Scales({"names: '*' lr_scale: 0 wd_scale: 0"}));
  const Param* const w = Of("name: 'fc' param { name: 'w' lr_scale: 1 }").Param(0, {2});
  EXPECT_EQ(w->conf().lr_scale(), 1);
  EXPECT_EQ(w->conf().wd_scale(), 0);
}

TEST_F(ParamTableTest, TheNameOfASharedParamIsItsOwners) {
  table_.ScaleBy(Scales({"names: 'top*' lr_scale: 0", "names: 'w' lr_scale: 0.5"}));
  Expect("w");
  const Param* const w = Of("name: 'top' param { share_from: 'w' }").Param(0, {2});
  EXPECT_EQ(w->conf().lr_scale(), 0.5f);
}

TEST_F(ParamTableTest, NamesThatCheckpointsUseAreRefused) {
  for (const char* name :
       {"updater/w", "buffer/w", "reader/w", "metric/w", "train/w", "0#w", "__metadata__"})
    EXPECT_CONFIG_ERROR(Of(StrCat("name: 'fc' param { name: '", name, "' }")).Param(0, {2}),
                        "param[0].name");
  EXPECT_NO_THROW(Of("name: 'fc' param { name: 'w/updater' }").Param(0, {2}));
}

TEST_F(ParamTableTest, WorkersHaveRowsOfAWholeParam) {
  Of("name: 'fc'").Param(0, {6, 3}, {.first = 4, .count = 2, .all = 6});
  Of("name: 'bn'").Param(0, {3});
  EXPECT_TRUE(table_.divided());
  const Param& part = *table_.Find("fc_0");
  EXPECT_EQ(part.shape(), Shape({2, 3}));
  EXPECT_EQ(part.begin(), 12);
  const ParamTable wholes = table_.Wholes();
  EXPECT_FALSE(wholes.divided());
  EXPECT_EQ(wholes.Find("fc_0")->shape(), Shape({6, 3}));
  EXPECT_EQ(wholes.params().size(), 2u);
}

TEST_F(ParamTableTest, LayersThatShareAParamHaveTheSameRowsOfIt) {
  Of("name: 'fc' param { name: 'w' }").Param(0, {6, 3}, {.first = 4, .count = 2, .all = 6});
  EXPECT_CONFIG_ERROR_SAYS(
      Of("name: 'top' param { name: 'w' }").Param(0, {6, 3}), "param[0]",
      "layers \"fc\" and \"top\" share the param \"w\": both must have the same partition_dim");
}

}  // namespace
}  // namespace singa
