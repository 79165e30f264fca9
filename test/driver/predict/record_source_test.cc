// Tests how `singa predict` reads the records of an input.
#include "driver/predict/record_source.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/image_files.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace record_source {

using Texts = std::vector<std::string>;

// The tests read inputs for a net that takes records of two numbers and has three classes.
class RecordSourceTest : public ::testing::Test {
 protected:
  RecordSourceTest() {
    options_.input.set_name("data");
    options_.input.set_type(kRecordInput);
    options_.input_path = "neuralnet.layer[data]";
    options_.shape = {2};
    options_.outputs = 3;
  }
  std::unique_ptr<RecordSource> Open(const std::string& path) {
    return OpenSource(path, options_, &warnings_);
  }
  // Returns the label and numbers of each record of the source.
  static Texts Records(RecordSource* source) {
    Texts records;
    while (const Sample* const sample = source->Next()) {
      std::string text = sample->has_label() ? StrCat(sample->label, ":") : "-:";
      for (const float number : sample->data) text += StrCat(" ", number);
      for (const uint8_t number : sample->pixel) text += StrCat(" ", int{number});
      records.push_back(text);
    }
    return records;
  }
  Texts RecordsOf(const std::string& path) { return Records(Open(path).get()); }
  // Makes class folders with a picture of 1 x 1 pixels each, which the net then takes. Returns
  // their folder.
  std::string Classes(const Texts& names) {
    options_.shape = {1, 1, 1};
    for (const std::string& name : names) {
      std::filesystem::create_directories(dir_.Path("set/" + name));
      dir_.Write("set/" + name + "/a.png", Png(1, 1, {9, 9, 9}));
    }
    return dir_.Path("set");
  }

  const TempDir dir_;
  SourceOptions options_;
  Texts warnings_;
};

TEST_F(RecordSourceTest, LinesHaveLabelsIfTheyHaveOneNumberMore) {
  EXPECT_EQ(RecordsOf(dir_.Write("a", "2,0.5,1\n0,3,4\n")), (Texts{"2: 0.5 1", "0: 3 4"}));
  EXPECT_EQ(RecordsOf(dir_.Write("a", "0.5,1\n3,4\n")), (Texts{"-: 0.5 1", "-: 3 4"}));
}

TEST_F(RecordSourceTest, LinesThatArePredictedWithoutLabelsHaveNumbersAlone) {
  options_.labels = false;
  EXPECT_EQ(RecordsOf(dir_.Write("a", "0.5,1\n")), Texts{"-: 0.5 1"});
  EXPECT_ERROR(RecordsOf(dir_.Write("a", "2,0.5,1\n")), kExitBadData, "holds 3 numbers",
               "the net takes 2");
}

TEST_F(RecordSourceTest, TheLabelColumnOfAHeaderMayBeEmptyOrLeftOut) {
  options_.input.mutable_store_conf()->set_header(true);
  options_.input.mutable_store_conf()->set_label_column("c");
  const std::string path = dir_.Write("a", "a,c,b\n0.5,,1\n3,2,4\n");
  EXPECT_EQ(RecordsOf(path), (Texts{"-: 0.5 1", "2: 3 4"}));
  options_.labels = false;
  EXPECT_EQ(RecordsOf(path), (Texts{"-: 0.5 1", "-: 3 4"}));
  EXPECT_EQ(RecordsOf(dir_.Write("b", "a,c,b\n0.5,?,1\n")), Texts{"-: 0.5 1"});
  EXPECT_EQ(RecordsOf(dir_.Write("c", "a,b\n0.5,1\n")), Texts{"-: 0.5 1"});
}

TEST_F(RecordSourceTest, WordsAreLabelsInTheOrderOfTheNetsClasses) {
  StoreProto* const store = options_.input.mutable_store_conf();
  for (const char* word : {"cat", "dog", "emu"}) store->add_class_names(word);
  const std::string path = dir_.Write("a", "dog,0.5,1\ncat,3,4\n");
  EXPECT_EQ(RecordsOf(path), (Texts{"1: 0.5 1", "0: 3 4"}));
  options_.classes = {"dog", "emu", "cat"};  // of the checkpoint
  EXPECT_EQ(RecordsOf(path), (Texts{"0: 0.5 1", "2: 3 4"}));
  EXPECT_EQ(RecordsOf(dir_.Write("b", "0.5,1\n")), Texts{"-: 0.5 1"});
  EXPECT_ERROR(RecordsOf(dir_.Write("c", "cow,0.5,1\n")), kExitBadData, "is \"cow\"");
  EXPECT_ERROR(RecordsOf(dir_.Write("f", "dog,NA,1\n")), kExitBadData,
               "number 1 in column 2 is \"NA\"");
  options_.labels = false;
  EXPECT_EQ(RecordsOf(dir_.Write("d", "?,0.5,1\n")), Texts{"-: 0.5 1"});
  store->set_header(true);
  store->set_label_column("kind");
  options_.labels = true;
  EXPECT_EQ(RecordsOf(dir_.Write("e", "a,b,kind\n0.5,1,\n3,4,emu\n")),
            (Texts{"-: 0.5 1", "1: 3 4"}));
}

TEST_F(RecordSourceTest, AHeaderWithAnotherColumnThanTheLabelSaysSo) {
  options_.input.mutable_store_conf()->set_header(true);
  options_.input.mutable_store_conf()->set_label_column("kind");
  EXPECT_ERROR(Open(dir_.Write("a", "a,row,b\n0.5,7,1\n")), kExitBadData,
               "the header has no column \"kind\"; there are \"a\", \"row\", \"b\"; the net takes "
               "2 numbers: without a label, a table has 2 columns, and this one has 3");
}

TEST_F(RecordSourceTest, ARecordIsNamedByItsNumberAndAnErrorByItsLine) {
  const std::string path = dir_.Write("a", "\n0.5,1\n\n3,4\n");
  const auto source = Open(path);
  source->Next();
  EXPECT_EQ(source->Name(), path + ":0");
  EXPECT_EQ(source->Where(), path + ":2: record 0");
  source->Next();
  EXPECT_EQ(source->Name(), path + ":1");
  EXPECT_EQ(source->Next(), nullptr);
}

TEST_F(RecordSourceTest, ARecordOfAnotherSizeIsAnError) {
  const std::string path = dir_.Write("a", "0.5,1\n3,4,5\n");
  const auto source = Open(path);
  EXPECT_NE(source->Next(), nullptr);
  EXPECT_ERROR(source->Next(), kExitBadData, path + ":2:", "holds 3 numbers, the net takes 2");
}

TEST_F(RecordSourceTest, LabelsOfIdxLieBesideTheImagesOrWhereTheUserSays) {
  options_.shape = {1, 2};
  const std::string images = dir_.Write("a-images-idx3", Idx({1, 1, 2}, "\1\2"));
  EXPECT_EQ(RecordsOf(images), Texts{"-: 1 2"});
  dir_.Write("a-labels-idx1", Idx({1}, "\2"));
  EXPECT_EQ(RecordsOf(images), Texts{"2: 1 2"});
  options_.label_path = dir_.Write("others", Idx({1}, "\1"));
  EXPECT_EQ(RecordsOf(images), Texts{"1: 1 2"});
}

TEST_F(RecordSourceTest, OnlyIdxHasAFileOfLabels) {
  options_.label_path = dir_.Write("labels", "");
  EXPECT_ERROR(Open(dir_.Write("a", "0.5,1\n")), kExitUsage, "-labels is for records of idx; ",
               " is textfile");
  EXPECT_ERROR(Open("-"), kExitUsage, "-labels is for records of idx; - is standard input");
  EXPECT_ERROR(Open(dir_.Write("a.png", Png(1, 1, {9, 9, 9}))), kExitUsage, "a.png is a picture");
}

TEST_F(RecordSourceTest, AnErrorOfAGuessedFormatSaysSo) {
  const std::string path = dir_.Write("a", Tuple("00000000", "value").substr(0, 20));
  EXPECT_ERROR(Open(path), kExitBadData, "; read as kvfile, as its content seems to be");
  options_.backend = "kvfile";
  try {
    Open(path);
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("seems to be"), std::string::npos) << error.what();
  }
}

TEST_F(RecordSourceTest, AFileThatIsNotThereIsNoInput) {
  EXPECT_ERROR(Open(dir_.Path("none")), kExitNoInput, "none");
}

TEST_F(RecordSourceTest, APictureIsNamedByItsPath) {
  options_.shape = {1, 1, 1};
  const std::string path = dir_.Write("a.png", Png(1, 1, {9, 9, 9}));
  const auto source = Open(path);
  ASSERT_NE(source->Next(), nullptr);
  EXPECT_EQ(source->Name(), path);
  EXPECT_EQ(source->Next(), nullptr);
}

TEST_F(RecordSourceTest, ClassFoldersHaveTheNetsLabels) {
  const std::string set = Classes({"cat", "dog"});
  options_.classes = {"dog", "emu", "cat"};
  EXPECT_EQ(RecordsOf(set), (Texts{"2: 9", "0: 9"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(RecordSourceTest, AClassThatTheNetDoesNotKnowHasNoLabel) {
  const std::string set = Classes({"cat", "cow"});
  options_.classes = {"cat", "dog", "emu"};
  EXPECT_EQ(RecordsOf(set), (Texts{"0: 9", "-: 9"}));
  EXPECT_EQ(warnings_,
            Texts{set + ": \"cow\" is none of the net's classes: its pictures have no label"});
}

TEST_F(RecordSourceTest, AsManyClassesAsTheNetHasAreTakenForThem) {
  EXPECT_EQ(RecordsOf(Classes({"a", "b", "c"})), (Texts{"0: 9", "1: 9", "2: 9"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(RecordSourceTest, AnotherNumberOfClassesOfUnknownNamesHasNoLabels) {
  const std::string set = Classes({"a"});
  EXPECT_EQ(RecordsOf(set), Texts{"-: 9"});
  EXPECT_EQ(warnings_, Texts{set + ": has 1 class folder, the net 3 classes, and their names are "
                                   "not known: labels are left out"});
}

class ClassNamesTest : public RecordSourceTest {
 protected:
  // Returns a net that reads class folders at `path` in training.
  static NetProto NetWith(const std::string& path) {
    NetProto net;
    LayerProto* const layer = net.add_layer();
    layer->set_name("data");
    layer->add_include(kTrain);
    layer->mutable_store_conf()->set_backend("imagefolder");
    layer->mutable_store_conf()->set_path(path);
    return net;
  }
};

TEST_F(ClassNamesTest, AreTheFoldersOfTheTrainingData) {
  EXPECT_EQ(ClassNames(NetWith(Classes({"dog", "cat"})), &warnings_), (Texts{"cat", "dog"}));
}

TEST_F(ClassNamesTest, AreNoneWhereTheDataIsGone) {
  EXPECT_TRUE(ClassNames(NetWith(dir_.Path("gone")), &warnings_).empty());
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ClassNamesTest, AreNoneWhereTheDataCannotBeRead) {
  EXPECT_TRUE(ClassNames(NetWith(dir_.Write("a", "no tar")), &warnings_).empty());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("the names of the classes are not known: ")) << warnings_[0];
}

}  // namespace record_source
}  // namespace singa
