// Tests the places of errors about one value of a list.
#include <gtest/gtest.h>

#include "base/text/element_path.h"
#include "driver/conf/job_conf.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

std::string PlaceLines(const JobConf& conf) {
  std::string lines;
  for (const Diagnostic& diagnostic : conf.diagnostics()) lines += ToString("F", diagnostic) + "\n";
  return lines;
}

std::string LinesOf(const std::string& text, const std::vector<std::string>& options,
                    const std::vector<std::string>& paths) {
  JobProto job;
  JobConf conf("F", text, options, &job);
  for (const std::string& path : paths) conf.Add(ConfigError(path, "x"));
  return PlaceLines(conf);
}

TEST(ListPlace, AnElementShowsItsFieldAtThePlaceOfTheValue) {
  EXPECT_EQ(LinesOf("gpu: 1\ngpu: 2", {}, {ElementPath("gpu", 1)}), "F:2:1: error: gpu: x\n");
  EXPECT_EQ(LinesOf("gpu: [\n1,\n2]", {}, {"gpu[1]"}), "F:1:1: error: gpu[1]: x\n");
}

TEST(ListPlace, AFieldHasOneErrorWhicheverItsElement) {
  EXPECT_EQ(LinesOf("gpu: 1\ngpu: 2", {}, {ElementPath("gpu", 1), "gpu", ElementPath("gpu", 2)}),
            "F:2:1: error: gpu: x\n");
}

TEST(ListPlace, WhatAnOptionAppendedIsTheOptions) {
  EXPECT_EQ(LinesOf("gpu: 1\ngpu: 2", {"gpu+=3"}, {ElementPath("gpu", 2)}), "-set gpu: error: x\n");
  EXPECT_EQ(LinesOf("gpu: 1\ngpu: 2", {"gpu+=3"}, {ElementPath("gpu", 1)}),
            "F:2:1: error: gpu: x\n");
}

TEST(ListPlace, AMistakeThatAnOptionMakesInSeveralLayersIsToldOnce) {
  const std::string net = "neuralnet { layer { name: 'a' } layer { name: 'a' } }";
  const std::string one = "neuralnet.layer[a#0].unroll_len",
                    two = "neuralnet.layer[a#1].unroll_len";
  const std::string note =
      "-set neuralnet.layer[a].unroll_len: note: sets 2 layers: layer[a#0], layer[a#1]\n";
  EXPECT_EQ(LinesOf(net, {"neuralnet.layer[a].unroll_len=2"}, {one, two}),
            note + "-set neuralnet.layer[a].unroll_len: error: x\n");
  EXPECT_EQ(LinesOf(net, {}, {one, two}),
            "F:1:13: error: " + one + ": x\nF:1:33: error: " + two + ": x\n");
}

TEST(ListPlace, OfMillionsOfNumbersTheFirstAloneHavePlaces) {
  std::string text;
  for (int i = 0; i < 1200; ++i) text += "gpu: 1\n";
  EXPECT_EQ(LinesOf(text, {}, {"gpu[999]", "gpu[1100]"}),
            "F:1:1: error: gpu[1100]: x\nF:1000:1: error: gpu[999]: x\n");
}

}  // namespace
}  // namespace singa
