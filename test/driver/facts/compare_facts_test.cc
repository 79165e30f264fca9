#include "driver/facts/compare_facts.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/driver/conf_findings.h"

namespace singa::compare_facts {
namespace {

// Returns an input layer that agrees with its store, "S".
InputFacts Sound(Phase phase = kTrain) {
  InputFacts input = {.phase = phase, .layer = "data", .path = "P", .classes = 3, .loss = "loss"};
  input.source.store.path = "S";
  input.source.shape = {3, 8, 8};
  input.facts.records = 10;
  input.facts.shape = {3, 8, 8};
  input.facts.labels = {.least = 0, .greatest = 2, .of_least = 4, .of_greatest = 5};
  return input;
}

std::string Found(const std::vector<InputFacts>& inputs) { return LinesOf(CompareFacts(inputs)); }

TEST(CompareFacts, NothingIsSaidOfAStoreThatFits) {
  EXPECT_EQ(Found({Sound(), Sound(kTest)}), "");
  EXPECT_EQ(Found({}), "");
}

TEST(CompareFacts, SizesInAnotherOrderAreAnError) {
  InputFacts input = Sound();
  input.source.shape = {8, 9, 3};
  input.facts.shape = {3, 8, 9};
  EXPECT_EQ(Found({input}),
            "error: P.shape: is 8, 9, 3, the records' own is 3, 8, 9: sizes are channels, height, "
            "width in this order\n");
}

TEST(CompareFacts, OtherNumbersOfSizesAreLeftToTheReader) {
  InputFacts input = Sound();
  input.facts.shape = {1, 8, 3, 8};
  EXPECT_NE(Found({input}), "");
  for (const std::vector<int64_t>& own :
       {std::vector<int64_t>{192}, {1, 3, 8, 8}, {3, 8, 8, 1}, {3, 8, 9}, {}}) {
    input.facts.shape = own;
    EXPECT_EQ(Found({input}), "");
  }
}

TEST(CompareFacts, ALabelOutOfRangeIsAnError) {
  InputFacts input = Sound();
  input.facts.labels.greatest = 3;
  EXPECT_EQ(Found({input}),
            "error: P.path: S: record 5: the label is 3, layer \"loss\" allows 0 to 2\n");
  EXPECT_EQ(CompareFacts({input}).errors[0].code(), kExitBadData);
  input.facts.labels = {.least = -1, .greatest = 2, .of_least = 4, .of_greatest = 5};
  EXPECT_EQ(Found({input}),
            "error: P.path: S: record 4: the label is -1, layer \"loss\" allows 0 to 2\n");
  input.source.store.label_path = "L";
  EXPECT_EQ(Found({input}),
            "error: P.label_path: L: record 4: the label is -1, layer \"loss\" allows 0 to 2\n");
}

TEST(CompareFacts, LabelsAreNotJudgedIfRecordsMayBeSkippedOrNoLossReadsThem) {
  InputFacts input = Sound();
  input.facts.labels.greatest = 3;
  input.source.max_bad = 1;
  EXPECT_EQ(Found({input}), "");
  input.source.max_bad = 0;
  input.classes = -1;
  EXPECT_EQ(Found({input}), "");
}

TEST(CompareFacts, MoreFoldersThanClassesAreAnError) {
  InputFacts input = Sound();
  input.facts.classes = {"a", "b", "c", "d"};
  EXPECT_EQ(Found({input}), "error: P.path: has 4 class folders, layer \"loss\" has 3 classes\n");
}

TEST(CompareFacts, NamesOfTheConfAreComparedAsFoldersAre) {
  InputFacts input = Sound(), test = Sound(kTest);
  const auto set = [](InputFacts* to, const std::vector<std::string>& names) {
    to->facts.classes = to->source.store.class_names = names;
  };
  set(&input, {"a", "b", "c", "d"});
  EXPECT_EQ(Found({input}), "error: P.class_names: has 4 names, layer \"loss\" has 3 classes\n");
  set(&input, {"a", "b"});
  EXPECT_EQ(Found({input}),
            "warning: P.class_names: has 2 names, layer \"loss\" has 3 classes: the last has no "
            "record\n");
  set(&input, {"a", "b", "c"});
  set(&test, {"a", "c", "b"});
  EXPECT_EQ(
      Found({input, test}),
      "warning: P.class_names: phase kTest: label 1 is class \"c\", in training \"b\": classes "
      "are numbered in the order of class_names\n");
}

TEST(CompareFacts, FewerFoldersThanClassesAreAWarningInTraining) {
  InputFacts input = Sound();
  input.facts.classes = {"a", "b"};
  EXPECT_EQ(Found({input}),
            "warning: P.path: S has 2 class folders, layer \"loss\" has 3 classes: the last has no "
            "record\n");
  input.facts.classes = {"a"};
  EXPECT_EQ(Found({input}),
            "warning: P.path: S has 1 class folder, layer \"loss\" has 3 classes: the last 2 have "
            "no record\n");
  input.phase = kTest;
  EXPECT_EQ(Found({input}), "");
}

TEST(CompareFacts, FilesThatAreLeftOutAreAnErrorBeyondTheLimit) {
  InputFacts input = Sound();
  input.facts.left_out = FirstOf({"a", "b"});
  const std::string text = "P.path: S " + LeftOutNote(input.facts.left_out);
  EXPECT_EQ(Found({input}), StrCat("error: ", text, "; on_bad_record: kSkip does without them\n"));
  input.source.max_bad = 1;
  EXPECT_EQ(Found({input}), StrCat("error: ", text, "; max_bad_records allows 1\n"));
  input.source.max_bad = 2;
  EXPECT_EQ(Found({input}), StrCat("warning: ", text, "\n"));
}

TEST(CompareFacts, InputsOfOnePhaseHaveAsManyRecords) {
  InputFacts other = Sound();
  other.layer = "other";
  other.path = "O";
  other.facts.records = 1;
  EXPECT_EQ(Found({Sound(), other}),
            "error: O.path: has 1 record, that of layer \"data\" 10: record i of one input layer "
            "meets record i of the others\n");
  other.phase = kTest;
  EXPECT_EQ(Found({Sound(), other}), "");
}

TEST(CompareFacts, AClassFolderHasTheLabelOfTheTraining) {
  InputFacts train = Sound(), test = Sound(kTest);
  train.facts.classes = {"cat", "cow", "dog"};
  test.facts.classes = {"cat", "dog"};
  EXPECT_EQ(Found({train, test}),
            "error: P.path: phase kTest: the class folder \"cow\" of the training is missing, so "
            "\"dog\" gets label 1, in training 2; if the class has no pictures here, make an empty "
            "folder \"cow\" and set on_bad_record: kSkip\n");
  test.facts.classes = {"cat", "cod", "cow"};
  EXPECT_EQ(Found({train, test}),
            "error: P.path: phase kTest: the class folder \"cod\" is not in the training, so "
            "\"cow\" gets label 2, in training 1; take it out of the test\n");
  test.facts.classes = {"ape", "cap", "dog"};  // two are missing, two are extra
  train.facts.classes = {"cat", "dog", "fox"};
  EXPECT_EQ(Found({train, test}),
            "error: P.path: phase kTest: the class folder \"ape\" is not in the training, so "
            "\"dog\" gets label 2, in training 1; take it out of the test\n");
  train.facts.classes = {"cat", "cow", "dog"};
  test.facts.classes = {"cat", "cot", "dog"};
  EXPECT_EQ(Found({train, test}),
            "warning: P.path: phase kTest: label 1 is class \"cot\", in training \"cow\": "
            "folders are numbered in the order of their names\n");
  test.facts.classes = {"cat", "cow"};  // the last one changes no label
  EXPECT_EQ(Found({train, test}), "");
  test.facts.classes = {"dog"};
  test.layer = "other";
  EXPECT_EQ(Found({train, test}), "");
}

TEST(CompareFacts, AColumnHasTheNameOfTheTraining) {
  InputFacts train = Sound(), test = Sound(kTest);
  train.facts.columns = {"width", "height"};
  test.facts.columns = {"width", "height"};
  EXPECT_EQ(Found({train, test}), "");
  test.facts.columns = {"height", "width"};
  EXPECT_EQ(Found({train, test}),
            "warning: P.path: phase kTest: column \"height\" is in the place that \"width\" has in "
            "training: columns go by position, names are not matched\n");
  test.facts.columns = {};  // there is no header
  EXPECT_EQ(Found({train, test}), "");
}

TEST(CompareFacts, TheFirstLabelOfAnotherClassIsNamed) {
  EXPECT_EQ(OtherLabel({"a", "b"}, {"a"}, "there"), "");
  EXPECT_EQ(OtherLabel({}, {"a"}, "there"), "");
  EXPECT_EQ(OtherLabel({"a"}, {"a", "x\n"}, "there"),
            "label 1 is class \"x\\x0a\", there no class");
}

TEST(CompareFacts, ATrainedNetHasTheClassesOfItsCheckpoint) {
  std::vector<InputFacts> inputs = {Sound(), Sound(kTest)};
  inputs[0].facts.classes = {"a", "b", "c"};
  inputs[1].facts.classes = {"a", "b", "d"};
  SetTrainedClasses({"a", "b", "d"}, &inputs);
  EXPECT_EQ(Found(inputs), "");
  SetTrainedClasses({}, &inputs);  // they are not known
  EXPECT_EQ(inputs[0].facts.classes[2], "d");
}

TEST(CompareFacts, ATrainedNetWhoseTrainingStoreIsGoneHasThemToo) {
  std::vector<InputFacts> inputs = {Sound(kTest)};
  inputs[0].facts.classes = {"a", "b", "c"};
  SetTrainedClasses({"a", "x", "c"}, &inputs);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(LinesOf(CompareFacts(inputs).warnings),
            "P.path: phase kTest: label 1 is class \"b\", in training \"x\": folders are "
            "numbered in the order of their names\n");
}

TEST(CompareFacts, ATestPreparesRecordsAsTheTraining) {
  const auto found = [](const std::string& train, const std::string& test) {
    ConfFindings of_net;
    CompareSettings(JobOfText(StrCat("neuralnet { layer { name: 'data' include: kTrain ", train,
                                     " } layer { name: 'data' include: kTest ", test, " } }"))
                        .neuralnet(),
                    &of_net);
    return LinesOf(of_net);
  };
  const auto differs = [](const std::string& field) {
    return "warning: neuralnet.layer[data#1]." + field +
           ": is not as in training: the net sees other numbers in a test\n";
  };
  EXPECT_EQ(found("store_conf { std_value: 1 }", "store_conf { shuffle: true }"), "");
  EXPECT_EQ(found("store_conf { mean_value: 1 }", ""), differs("store_conf.mean_value"));
  EXPECT_EQ(found("store_conf { std_value: 2 }", ""), differs("store_conf.std_value"));
  EXPECT_EQ(found("", "store_conf { mean_file: 'x' }"), differs("store_conf.mean_file"));
  EXPECT_EQ(found("", "store_conf { std_file: 'x' }"), differs("store_conf.std_file"));
  EXPECT_EQ(found("rgbimage_conf { scale: 2 }", ""), differs("rgbimage_conf.scale"));
  EXPECT_EQ(found("rgbimage_conf { meanfile: 'x' }", ""), differs("rgbimage_conf.meanfile"));
  EXPECT_EQ(found("mnist_conf { norm_a: 2 }", ""), differs("mnist_conf.norm_a"));
  EXPECT_EQ(found("mnist_conf { norm_b: 2 }", ""), differs("mnist_conf.norm_b"));
}

TEST(CompareFacts, AProgramThrowsTheFirstErrorAndHandsOnWarnings) {
  InputFacts warned = Sound(), wrong = Sound();
  warned.facts.classes = {"a", "b"};
  wrong.facts.labels.greatest = 3;
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& text) { warnings.push_back(text); };
  TellFacts({warned}, warn);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rfind("S has 2 class folders", 0), 0u) << warnings[0];
  EXPECT_ERROR(TellFacts({warned, wrong}, warn), kExitBadData, "P.path: S: record 5: the label");
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(CompareFacts, AStoreThatTheConfDoesNotNameIsJudgedByItself) {
  const auto no_warning = [](const std::string& text) { ADD_FAILURE() << text; };
  InputFacts input = Sound();
  input.facts.classes = {"a"};  // of these only a net can say
  TellOwnFacts(input, no_warning);
  input.facts.labels.greatest = 3;
  EXPECT_ERROR(TellOwnFacts(input, no_warning), kExitBadData, "S: record 5: the label is 3");
  input.facts.shape = {8, 8, 3};
  EXPECT_ERROR(TellOwnFacts(input, no_warning), kExitBadData, "S: the shape is 3, 8, 8, the");
}

}  // namespace
}  // namespace singa::compare_facts
