#include "io/store/output_files.h"
#include "io/store/store.h"
#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class StoreOutputTest : public LayerTest {
 protected:
  std::string Conf(const std::string& type, const std::string& settings = "") {
    return StrCat("type: ", type, " store_conf { path: '", path_, "' ", settings, "}");
  }

  // Runs two steps of the layer.
  void Run(const std::string& conf, const std::vector<Input>& inputs) {
    OutputFiles files;
    const auto layer = Build(conf, inputs);
    layer->layer().WriteTo(&files);
    for (int64_t step = 0; step < 2; ++step) {
      layer->BeginStep(step);
      layer->Forward(kTest);
    }
    EXPECT_FALSE(std::filesystem::exists(path_)) << "the file is there before it is whole";
    files.Finish();
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("out");
};
SINGA_TEST_ON_ALL_DEVICES(StoreOutputTest);

const Input kFeature = {.shape = {2, 3}, .data = {0.5f, -1, 1e-9f, 2, 3, 4}};
const Input kLabels = {.shape = {2, 1}, .labels = {7, 9}};

TEST_P(StoreOutputTest, WritesLinesOfNumbers) {
  Run(Conf("kCSVOutput"), {kFeature});
  EXPECT_EQ(TempDir::Read(path_), "0.5,-1,1e-09\n2,3,4\n0.5,-1,1e-09\n2,3,4\n");
}

TEST_P(StoreOutputTest, PutsTheLabelInFront) {
  Run(Conf("kCSVOutput", "backend: 'textfile'"), {kFeature, kLabels});
  EXPECT_EQ(TempDir::Read(path_), "7,0.5,-1,1e-09\n9,2,3,4\n7,0.5,-1,1e-09\n9,2,3,4\n");
}

TEST_P(StoreOutputTest, WritesNegativeLabels) {
  Run(Conf("kCSVOutput"), {kFeature, {.shape = {2, 1}, .labels = {-1, 9}}});
  EXPECT_EQ(TempDir::Read(path_), "-1,0.5,-1,1e-09\n9,2,3,4\n-1,0.5,-1,1e-09\n9,2,3,4\n");
}

TEST_P(StoreOutputTest, LeavesTheLabelOutWhereNoRecordHasOne) {
  Run(Conf("kCSVOutput"), {kFeature, {.shape = {2, 1}, .labels = {-1, -1}}});
  EXPECT_EQ(TempDir::Read(path_), "0.5,-1,1e-09\n2,3,4\n0.5,-1,1e-09\n2,3,4\n");
}

TEST_P(StoreOutputTest, RefusesALabelBehindRecordsWithoutLabels) {
  OutputFiles files;
  const auto first = Build(Conf("kCSVOutput"), {kFeature, {.shape = {2, 1}, .labels = {-1, -1}}});
  const auto later = Build(Conf("kCSVOutput"), {kFeature, {.shape = {2, 1}, .labels = {-1, 9}}});
  for (auto* layer : {first.get(), later.get()}) layer->layer().WriteTo(&files);
  first->BeginStep(0);
  first->Forward(kTest);
  later->BeginStep(0);
  EXPECT_ERROR(later->Forward(kTest), kExitBadData,
               path_ + ": record 3: has the label 9, the first records have none");
}

TEST_P(StoreOutputTest, KeepsToTheLabelsOfTheFirstRecords) {
  OutputFiles files;
  const auto first = Build(Conf("kCSVOutput"), {kFeature, kLabels});
  const auto later = Build(Conf("kCSVOutput"), {kFeature, {.shape = {2, 1}, .labels = {-1, -1}}});
  for (auto* layer : {first.get(), later.get()}) layer->layer().WriteTo(&files);
  for (auto* layer : {first.get(), later.get()}) {
    layer->BeginStep(0);
    layer->Forward(kTest);
  }
  files.Finish();
  EXPECT_EQ(TempDir::Read(path_), "7,0.5,-1,1e-09\n9,2,3,4\n-1,0.5,-1,1e-09\n-1,2,3,4\n");
}

TEST_P(StoreOutputTest, WritesRecordsInLogicalOrder) {
  Run(Conf("kRecordOutput"),
      {{.shape = {1, 2, 1, 2}, .data = {1, 2, 3, 4}}, {.shape = {1, 1}, .labels = {5}}});
  const auto store = OpenStore("kvfile", {.path = path_});
  ASSERT_EQ(store->size(), 2);
  const Sample& sample = store->Read(1);
  EXPECT_EQ(Values(sample.data.begin(), sample.data.end()), (Values{1, 2, 3, 4}));
  EXPECT_EQ(sample.label, 5);
  EXPECT_TRUE(sample.shape.empty());
}

TEST_P(StoreOutputTest, ItsFeatureIsTheRecordsNumbers) {
  OutputFiles files;
  const auto layer = Build(Conf("kRecordOutput", "backend: 'textfile'"), {kFeature});
  layer->layer().WriteTo(&files);
  layer->BeginStep(0);
  layer->Forward(kTest);
  layer->Forward(kTest);
  EXPECT_EQ(layer->Output(), (Values{2, 3}));
}

TEST_P(StoreOutputTest, RejectsOtherBackendsAndMissingLabels) {
  EXPECT_CONFIG_ERROR_SAYS(Build(Conf("kCSVOutput", "backend: 'kvfile'"), {kFeature}),
                           "store_conf.backend", "must be \"textfile\", is \"kvfile\"");
  EXPECT_CONFIG_ERROR(Build("type: kCSVOutput", {kFeature}), "store_conf.path");
  EXPECT_CONFIG_ERROR(
      Build(Conf("kCSVOutput") + " srclayers: 'a' srclayers: 'b'", {kFeature, {.shape = {2, 1}}}),
      "srclayers#1");
}

}  // namespace
}  // namespace singa
