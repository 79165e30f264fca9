#include "driver/conf/set_option.h"

#include <gtest/gtest.h>

#include "driver/conf/job_conf.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

constexpr char kText[] =
    "train_steps: 10 gpu: 0\n"
    "neuralnet {\n"
    "  layer { name: 'data' include: kTrain type: kCSVInput store_conf { path: 'a' } }\n"
    "  layer { name: 'data' include: kTest type: kCSVInput store_conf { path: 'b' } }\n"
    "  layer { name: 'fc.1' srclayers: 'data' param { name: 'w' } }\n"
    "}\n";

class SetOptionTest : public ::testing::Test {
 protected:
  // Returns the errors about `options`; "": none.
  std::string Set(const std::vector<std::string>& options) {
    const JobConf conf("F", kText, options, &job_);
    std::string lines;
    notes_.clear();
    for (const Diagnostic& diagnostic : conf.diagnostics())
      (diagnostic.severity == Diagnostic::kNote ? notes_ : lines) +=
          ToString("F", diagnostic) + "\n";
    return lines;
  }
  const LayerProto& layer(int i) const { return job_.neuralnet().layer(i); }

  JobProto job_;
  std::string notes_;
};

TEST_F(SetOptionTest, APhaseNamesALayer) {
  EXPECT_EQ(Set({"neuralnet.layer[data@kTest].store_conf.path=c"}), "");
  EXPECT_EQ(layer(0).store_conf().path(), "a");
  EXPECT_EQ(layer(1).store_conf().path(), "c");
  EXPECT_EQ(notes_, "");
  EXPECT_EQ(Set({"neuralnet.layer[fc.1@kTest].srclayers=x"}), "");
  EXPECT_EQ(layer(2).srclayers(0), "x");
}

TEST_F(SetOptionTest, APhaseThatIsNoneOrLacksTheLayerIsRefused) {
  const auto refused = [this](const std::string& which) {
    const std::string path = "neuralnet.layer[" + which + "].store_conf.path",
                      text = Set({path + "=c"});
    return text.substr(std::min(text.size(), ("-set " + path + ": error: ").size()));
  };
  EXPECT_EQ(refused("data@kTset"),
            "the phase must be kTrain, kVal or kTest, is \"kTset\"; did you mean \"kTest\"?\n");
  EXPECT_EQ(refused("data@test"),
            "the phase must be kTrain, kVal or kTest, is \"test\"; did you mean \"kTest\"?\n");
  EXPECT_EQ(refused("data@kVal"), "no layer \"data\" is in the phase kVal\n");
  EXPECT_EQ(refused("date@kTest"), "no layer \"date\"; did you mean \"data\"?\n");
}

TEST_F(SetOptionTest, AnOptionForSeveralLayersNamesThem) {
  EXPECT_EQ(Set({"neuralnet.layer[data].store_conf.path=c"}), "");
  EXPECT_EQ(notes_,
            "-set neuralnet.layer[data].store_conf.path: note: sets 2 layers: layer[data#0] of "
            "kTrain, layer[data#1] of kTest\n");
}

TEST_F(SetOptionTest, OverridesAScalar) {
  EXPECT_EQ(Set({"train_steps=100", "debug=1", "seed=18446744073709551615"}), "");
  EXPECT_EQ(job_.train_steps(), 100);
  EXPECT_TRUE(job_.debug());
  EXPECT_EQ(job_.seed(), 18446744073709551615u);
}

TEST_F(SetOptionTest, LaterOnesWin) {
  EXPECT_EQ(Set({"train_steps=100", "train_steps=200"}), "");
  EXPECT_EQ(job_.train_steps(), 200);
}

TEST_F(SetOptionTest, CreatesMessages) {
  EXPECT_EQ(Set({"updater.learning_rate.base_lr=0.1", "updater.type=kSGD",
                 "updater.learning_rate.type=4"}),
            "");
  EXPECT_FLOAT_EQ(job_.updater().learning_rate().base_lr(), 0.1f);
  EXPECT_EQ(job_.updater().type(), kSGD);
  EXPECT_EQ(job_.updater().learning_rate().type(), kLinear);
}

TEST_F(SetOptionTest, ABackslashKeepsACommaInAListsValue) {
  EXPECT_EQ(Set({"checkpoint_path=a\\,b,c\\\\,d\\e", AppendOption("checkpoint_path", "f,\\,g")}),
            "");
  EXPECT_EQ(std::vector<std::string>(job_.checkpoint_path().begin(), job_.checkpoint_path().end()),
            (std::vector<std::string>{"a,b", "c\\", "d\\e", "f,\\,g"}));
}

TEST_F(SetOptionTest, StringsNeedNoQuotes) {
  EXPECT_EQ(Set({"name=my job", "cluster.workspace=a=b,c", "checkpoint_best="}), "");
  EXPECT_EQ(job_.name(), "my job");
  EXPECT_EQ(job_.cluster().workspace(), "a=b,c");
  EXPECT_EQ(job_.checkpoint_best(), "");
}

TEST_F(SetOptionTest, ListsReplaceOrAppend) {
  EXPECT_EQ(Set({"gpu=4,5,6"}), "");
  EXPECT_EQ(job_.gpu_size(), 3);
  EXPECT_EQ(Set({"gpu+=7", "gpu+=8,9"}), "");
  EXPECT_EQ(job_.gpu_size(), 4);
  EXPECT_EQ(job_.gpu(0), 0);
  EXPECT_EQ(Set({"gpu="}), "");
  EXPECT_EQ(job_.gpu_size(), 0);
  EXPECT_EQ(Set({"checkpoint_path=a,b"}), "");
  EXPECT_EQ(job_.checkpoint_path(1), "b");
}

TEST_F(SetOptionTest, AListHasNoBrackets) {
  EXPECT_EQ(Set({"gpu=[1,2]"}),
            "-set gpu: error: a list has no brackets here, such as 1,2; is \"[1,2]\"\n");
  EXPECT_EQ(Set({"checkpoint_path=[a],b"}), "");
}

TEST_F(SetOptionTest, ANameMeansEveryLayerOfThatName) {
  EXPECT_EQ(Set({"neuralnet.layer[data].store_conf.path=x"}), "");
  EXPECT_EQ(layer(0).store_conf().path(), "x");
  EXPECT_EQ(layer(1).store_conf().path(), "x");
}

TEST_F(SetOptionTest, LayersMayBeNumbered) {
  EXPECT_EQ(Set({"neuralnet.layer[data#1].store_conf.path=x", "neuralnet.layer[0].type=kReLU"}),
            "");
  EXPECT_EQ(layer(0).store_conf().path(), "a");
  EXPECT_EQ(layer(1).store_conf().path(), "x");
  EXPECT_EQ(layer(0).type(), kReLU);
}

TEST_F(SetOptionTest, NamesMayHavePoints) {
  EXPECT_EQ(
      Set({"neuralnet.layer[fc.1].param[0].lr_scale=2", "neuralnet.layer[fc.1].param[1].name=b",
           "neuralnet.layer[fc.1#0].param[1].wd_scale=3"}),
      "");
  EXPECT_EQ(layer(2).param(0).lr_scale(), 2);
  EXPECT_EQ(layer(2).param(1).name(), "b");
  EXPECT_EQ(layer(2).param(1).wd_scale(), 3);
}

TEST_F(SetOptionTest, RefusesWhatTheSchemaLacks) {
  EXPECT_EQ(Set({"train_step=1"}),
            "-set train_step: error: no such field in JobProto; did you mean \"train_steps\"?\n");
  EXPECT_EQ(Set({"updater.momentun.x=1"}),
            "-set updater.momentun.x: error: \"momentun\": no such field in UpdaterProto; did you "
            "mean \"momentum\"?\n");
  EXPECT_EQ(Set({"layer[data].type=kReLU"}),
            "-set layer[data].type: error: \"layer\": no such field in JobProto; did you mean "
            "\"neuralnet.layer\"?\n");
  EXPECT_EQ(Set({"neuralnet.layer[dta].type=kReLU"}),
            "-set neuralnet.layer[dta].type: error: no layer \"dta\"; did you mean \"data\"?\n");
  EXPECT_EQ(Set({"neuralnet.layer[3].type=kReLU"}),
            "-set neuralnet.layer[3].type: error: there is no layer[3], they are 3 from 0\n");
  EXPECT_EQ(Set({"[my.ext].x=1"}), "-set [my.ext].x: error: no such extension of JobProto\n");
}

TEST_F(SetOptionTest, RefusesValuesThatDoNotFit) {
  EXPECT_EQ(
      Set({"train_steps=1.5", "train_steps=99999999999", "seed=-1", "updater.momentum=nan",
           "debug=yes", "on_nonfinite=kSkipp", "gpu=0,x", "train_steps=", "train_steps=1 2",
           "updater.momentum=\"1\""}),
      "-set train_steps: error: must be an integer, is 1.5\n"
      "-set train_steps: error: must be <= 2147483647, is 99999999999\n"
      "-set seed: error: must be >= 0, is -1\n"
      "-set updater.momentum: error: must be finite, is nan\n"
      "-set debug: error: must be true or false, is yes\n"
      "-set on_nonfinite: error: must be kAbort or kSkip, is kSkipp; did you mean \"kSkip\"?\n"
      "-set gpu: error: must be an integer, is x\n"
      "-set train_steps: error: must be an integer, is \"\"\n"
      "-set train_steps: error: must be an integer, is \"1 2\"\n"
      "-set updater.momentum: error: must be a number, is \"1\"\n");
}

TEST_F(SetOptionTest, RefusesBadPaths) {
  EXPECT_EQ(
      Set({"updater=3", "train_steps.x=1", "train_steps+=1", "neuralnet.layer.type=kReLU",
           "updater[0].type=kSGD", "neuralnet.layer[data.type=1", "=3", "a..b=1", "updater.=1",
           "neuralnet.layer[fc.1].param[5].name=x"}),
      "-set updater: error: updater is a message, set its fields one by one: "
      "updater.type=...\n"
      "-set train_steps.x: error: train_steps is an integer, nothing may follow it\n"
      "-set train_steps: error: += is for repeated fields, this one has one value\n"
      "-set neuralnet.layer.type: error: there may be several: layer[0] or layer[NAME]\n"
      "-set updater[0].type: error: there is one updater only, without [ ]\n"
      "-set neuralnet.layer[data.type=1: error: must be path=value\n"
      "-set =3: error: must be path=value, has no path\n"
      "-set a..b: error: \"a\": no such field in JobProto\n"
      "-set updater.: error: ends in a point\n"
      "-set neuralnet.layer[fc.1].param[5].name: error: there is no param[5], they are 1 from 0\n");
}

TEST_F(SetOptionTest, LaterMistakesInItsValueAreItsOwn) {
  JobConf conf("F", kText, {"train_steps=-5"}, &job_);
  conf.Add(ConfigError("train_steps", "must be >= 0, is -5"));
  EXPECT_EQ(conf.Render(), "-set train_steps: error: must be >= 0, is -5\n");
}

TEST_F(SetOptionTest, AMessageThatItMadeIsItsOwnToo) {
  EXPECT_EQ(Set({"updater.rmsprop_conf.rho=1"}), "");
  EXPECT_EQ(Set({"neuralnet.layer[fc.1].gru_conf.bias_term=0"}),
            "-set neuralnet.layer[fc.1].gru_conf.bias_term: error: "
            "neuralnet.layer[fc.1].gru_conf.dim_hidden: is required, but missing\n");
}

TEST_F(SetOptionTest, ANewNameIsTheLayersNameInPaths) {
  JobConf conf("F", kText, {"neuralnet.layer[fc.1].name=fc2"}, &job_);
  conf.Add(ConfigError("neuralnet.layer[fc2].srclayers", "x"));
  EXPECT_EQ(ToString("F", conf.diagnostics()[0]),
            "F:5:24: error: neuralnet.layer[fc2].srclayers: x");
}

}  // namespace
}  // namespace singa
