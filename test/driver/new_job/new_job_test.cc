// Tests the jobs that `singa new job` makes, and wrong calls of it.
#include "driver/new_job/new_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "driver/new_job/new_job_case.h"

namespace singa::new_job_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using NewJobTest = NewJobCase;

namespace fs = std::filesystem;

TEST_F(NewJobTest, WritesTablesAndAJobThatDescribesTheColumns) {
  const CapturedCommand run = Make(
      "id,age,city,when,rank\n1,30,Oslo,,a\n2,,Rome,,b\n3,50,Oslo,,a\n4,60,,,b\n5,20,Rome,,a\n");
  ASSERT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("the first line names the columns, as it has no number\n"
                                 "the label is column 5, \"rank\", the last one; -label_column C "
                                 "names another\n2 classes: a, b\n"
                                 "class b has only 2 records, too few for a test\n"
                                 "column \"id\": left out, because it seems to be an id\n"));
  EXPECT_THAT(run.err, HasSubstr("column \"when\": left out, because it is empty\n"
                                 "each record has 3 numbers\n"));
  EXPECT_THAT(run.err, HasSubstr("job/train.csv: 4 records\n"));
  EXPECT_THAT(Conf(), HasSubstr("batchsize: 4 shape: 3 shuffle: true\n"
                                "      header: true label_column: \"rank\"\n"
                                "      columns { name: \"id\" leave_out: true }  # it seems"));
  EXPECT_THAT(Conf(), HasSubstr("class_names: [\"a\", \"b\"]"));
  EXPECT_THAT(Conf(), HasSubstr("channel_std: ["));
}

TEST_F(NewJobTest, TakesTheColumnWithANameOfLabelsElseTheLastOne) {
  const std::string named = Lines("a,Target,b\n", "#,@,5", 20);
  EXPECT_THAT(Make(named).err, HasSubstr("the label is column 2, \"Target\", by its name"));
  EXPECT_THAT(Conf(), HasSubstr("label_column: \"Target\"\n"));
  EXPECT_THAT(Make(Lines("y,label,b\n", "#,5,@", 20)).err, HasSubstr("column 3, \"b\", the last"));
  EXPECT_THAT(Make(Lines("", "#,@", 20)).err, HasSubstr("the label is column 2, the last one"));
  EXPECT_THAT(Conf(), HasSubstr("      label_column: \"2\"\n"));
  EXPECT_THAT(Conf(), Not(HasSubstr("header")));
  const CapturedCommand said = Make(Lines("a,b\n", "@,#", 20), {"-label_column", "a"});
  EXPECT_THAT(said.err, Not(HasSubstr("the label is")));
  EXPECT_THAT(Conf(), HasSubstr("label_column: \"a\"\n"));
}

TEST_F(NewJobTest, FindsAHeaderWithoutNumbers) {
  const std::string words = "red,yes\nblue,no\nred,yes\nblue,no\nblue,yes\nred,nan\n";
  const std::string records = words.substr(0, words.rfind("red,")) + "red,no\n";
  EXPECT_THAT(Make("colour,rank\n" + records).err, HasSubstr("as no word of it comes again below"));
  EXPECT_THAT(Conf(), HasSubstr("header: true label_column: \"rank\""));
  const CapturedCommand none = Make(records);
  EXPECT_THAT(none.err, HasSubstr("the first line is a record, as a word of it comes again"));
  EXPECT_THAT(none.err, HasSubstr("2 classes: no, yes"));
  EXPECT_THAT(Conf(), Not(HasSubstr("header")));
  EXPECT_THAT(Make(words, {"-label_column", "1"}).err, HasSubstr("the first line is a record"));
}

TEST_F(NewJobTest, NamesAColumnWithoutANameByItsNumber) {
  Make(Lines("a,,b\n", "#,@,#", 20), {"-label_column", "2"});
  EXPECT_THAT(Conf(), HasSubstr("label_column: \"2\""));
}

TEST_F(NewJobTest, NumbersTheLabelsColumnWhereAnotherHasNoNameOfItsOwn) {
  Make(Lines("x,x,rank\n", "#,,@", 9) + "7,5,1\n");
  EXPECT_THAT(Conf(), HasSubstr("label_column: \"3\"\n      columns { name: \"2\" missing: 5 }"));
}

TEST_F(NewJobTest, FindsTheSeparator) {
  EXPECT_THAT(Make(Lines("a;b\n", "#;@", 20)).err, HasSubstr("\";\" separate the fields"));
  EXPECT_THAT(Conf(), HasSubstr("separator: \";\""));
  EXPECT_THAT(Make(Lines("a\tb\n", "#\t@", 20)).err, HasSubstr("tabs separate the fields"));
  EXPECT_THAT(Conf(), HasSubstr("separator: \"\\t\""));
}

TEST_F(NewJobTest, LeavesOutTheColumnsThatAFlagNames) {
  const std::string table = Lines("x,\"a, b\",id,city,y\n", "#,0;5,#,Oslo,@", 9);
  const CapturedCommand run = Make(table, {"-leave_out", "\"a, b\", 4,id"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("column \"a, b\": left out, because -leave_out names it\n"
                                 "column \"id\": left out, because -leave_out names it\n"
                                 "column \"city\": left out, because -leave_out names it\n"
                                 "each record has 1 number\n"));
  EXPECT_THAT(Conf(), HasSubstr("columns { name: \"city\" leave_out: true }  # -leave_out names"));
  EXPECT_EQ(Make(Lines("a;b;c\n", "#,5;#;@", 9), {"-leave_out", "a"}).code, kExitOk);
}

TEST_F(NewJobTest, ListsNumbersThatDoNotCountFromZeroAsClasses) {
  Make(Lines("a,b\n", "#,1@", 20));
  EXPECT_THAT(Conf(), HasSubstr("class_names: [\"10\", \"11\"]"));
  Make(Lines("a,b\n", "#,@", 20));
  EXPECT_THAT(Conf(), Not(HasSubstr("class_names")));
  EXPECT_THAT(Make("a,b\n1,1\n2,2\n3,3\n4,1\n5,2\n6,3\n7,1\n8,2\n9,3\n").err,
              HasSubstr("3 classes: 1, 2, 3; -targets 1 predicts them as numbers\n"));
}

TEST_F(NewJobTest, AGapMayBeTheNameOfAClassButNoTarget) {
  EXPECT_THAT(Make("a,b\n1,+\n2,-\n3,+\n4,-\n5,+\n6,none\n").err,
              HasSubstr("3 classes: +, -, none\n"));
  EXPECT_THAT(Error("a,b\n1,5.5\n2,-\n3,6\n4,None\n5,4\n", {"-targets", "1"}),
              HasSubstr("remove such records, 2 in all: lines 3, 5"));
}

TEST_F(NewJobTest, LearnsNumbersInTheirOwnUnit) {
  const std::string prices = Lines("a,price\n", "@,2#0.5", 20);
  const CapturedCommand run = Make(prices);
  EXPECT_THAT(run.err, HasSubstr("the labels are numbers with fractions, so the net learns to "
                                 "predict a number; -targets 0 makes them classes"));
  EXPECT_THAT(Conf(), HasSubstr("num_targets: 1\n"));
  EXPECT_THAT(Conf(), HasSubstr("{ name: \"mean\" lr_scale: 0 init { type: kConstant value: "));
  EXPECT_THAT(Conf(), HasSubstr("type: kEuclideanLoss srclayers: \"units\" srclayers: \"data:1\""));
  EXPECT_THAT(Make(Lines("a,price\n", "@,90#", 60)).err, HasSubstr("numbers that hardly repeat"));
  EXPECT_EQ(Make(Lines("a,b\n", "#,@", 20), {"-targets", "1"}).code, kExitOk);
  EXPECT_THAT(Conf(), HasSubstr("num_targets: 1\n"));
  const std::string sixty = Lines("", "@,#", 60);
  EXPECT_THAT(Make("a,b\n" + sixty + sixty).err, HasSubstr("more than 50 different numbers, so"));
}

TEST_F(NewJobTest, GivesEachOfSeveralTargetsLayersOfItsOwn) {
  const CapturedCommand run = Make(Lines("a,b,c\n", "@,#,300#", 20), {"-targets", "2"});
  EXPECT_THAT(run.err, HasSubstr("the first target is column 2, \"b\", as the last ones"));
  EXPECT_THAT(Conf(), HasSubstr("name: \"outputs\" type: kConcate srclayers: \"units1\" srclayers: "
                                "\"units2\"\n    concate_conf { concate_dim: 1 }"));
}

TEST_F(NewJobTest, RefusesWrongCalls) {
  const std::string table = Lines("a,b\n", "#,@", 9);
  EXPECT_THAT(Error(table, {"-label_column", "c"}), HasSubstr("the header has no column \"c\""));
  EXPECT_THAT(Error(table, {"-label_column", "9"}), HasSubstr("columns, -label_column is 9"));
  EXPECT_THAT(Error(table, {"-label_column", "2", "-targets", "2"}),
              HasSubstr("has 2 columns, and 2 columns from -label_column \"2\" on would be read"));
  EXPECT_THAT(Error(table, {"-targets", "2"}), HasSubstr("none is left to learn from"));
  EXPECT_THAT(Error(table, {"-targets", "-1"}, kExitUsage), HasSubstr("must be from 0 to 100"));
  EXPECT_THAT(Error(table, {"-separator", "x"}, kExitUsage), HasSubstr("has the character x"));
  fs::create_directory(dir_.Path("other"));
  dir_.Write("other/file", "");
  const CapturedCommand taken([&] {
    return NewJob({"job", dir_.Path("t.csv"), dir_.Path("other")});
  });
  EXPECT_EQ(taken.code, kExitCantCreate);
  fs::create_directory(dir_.Path("empty"));
  fs::create_symlink("empty", dir_.Path("link"));
  const CapturedCommand here([&] {
    return NewJob({"job", dir_.Path("t.csv"), dir_.Path("empty/.")});
  });
  EXPECT_EQ(here.code, kExitCantCreate);
  EXPECT_THAT(here.err, HasSubstr("must be a new folder, such as my_job"));
  EXPECT_TRUE(fs::is_empty(dir_.Path("empty")));
  const CapturedCommand linked([&] {
    return NewJob({"job", dir_.Path("t.csv"), dir_.Path("link")});
  });
  EXPECT_EQ(linked.code, kExitOk);
  EXPECT_TRUE(fs::exists(dir_.Path("empty/job.conf")));
  const CapturedCommand gone([&] { return NewJob({"job", dir_.Path("x"), dir_.Path("job")}); });
  EXPECT_EQ(gone.code, kExitNoInput);
  const CapturedCommand none([&] { return NewJob({"job", dir_.Path("t.csv")}); });
  EXPECT_THAT(none.err, HasSubstr("needs data and a folder: singa new job DATA DIR"));
}

TEST_F(NewJobTest, RefusesFoldersWithoutClasses) {
  fs::create_directories(dir_.Path("pics/cat"));
  const auto error = [&](const std::string& dir) {
    const CapturedCommand run([&] { return NewJob({"job", dir_.Path("pics"), dir_.Path(dir)}); });
    EXPECT_NE(run.code, kExitOk);
    EXPECT_FALSE(fs::exists(dir_.Path(dir)));
    return run.err;
  };
  error("job");  // it has no picture
  for (int i = 0; i < 6; ++i) dir_.Write(StrCat("pics/cat/", i, ".png"), "no picture");
  EXPECT_THAT(error("job"), HasSubstr("has pictures of one class, cat"));
  EXPECT_THAT(error("pics/job"), HasSubstr("DIR lies in DATA"));
  fs::create_directories(dir_.Path("pics/a dog"));
  for (int i = 0; i < 6; ++i) dir_.Write(StrCat("pics/a dog/", i, ".png"), "no picture");
  EXPECT_THAT(error("job"), HasSubstr("pics/a dog/"));  // which is damaged
  const CapturedCommand parts([&] {
    fs::create_directories(dir_.Path("parts"));
    fs::copy(dir_.Path("pics/cat"), dir_.Path("parts/train"));
    fs::copy(dir_.Path("pics/cat"), dir_.Path("parts/Test"));
    return NewJob({"job", dir_.Path("parts"), dir_.Path("job")});
  });
  EXPECT_EQ(parts.code, kExitBadData);
  EXPECT_THAT(parts.err, HasSubstr("its folders would be classes, and are [\"Test\", \"train\"]"));
  dir_.Write("pics/cat/line\nbreak.png", "");
  EXPECT_THAT(error("job"), HasSubstr("has a line break in its name"));
  const CapturedCommand flag([&] {
    return NewJob({"job", "-header", dir_.Path("pics"), dir_.Path("job")});
  });
  EXPECT_EQ(flag.code, kExitUsage);
  EXPECT_THAT(flag.err, HasSubstr("-header is for a table"));
}

}  // namespace
}  // namespace singa::new_job_test
