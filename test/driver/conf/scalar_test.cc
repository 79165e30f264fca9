#include "driver/conf/scalar.h"

#include <gtest/gtest.h>

#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using google::protobuf::io::Tokenizer;

std::string ProblemOf(const google::protobuf::Descriptor* type, const char* field,
                      const Scalar& scalar) {
  return ScalarProblem(*type->FindFieldByName(field), scalar);
}
std::string JobProblem(const char* field, const Scalar& scalar) {
  return ProblemOf(JobProto::descriptor(), field, scalar);
}
Scalar Integer(const std::string& text, bool negative = false) {
  return {negative, Tokenizer::TYPE_INTEGER, text, ""};
}
Scalar Float(const std::string& text) { return {false, Tokenizer::TYPE_FLOAT, text, ""}; }
Scalar Word(const std::string& text) { return {false, Tokenizer::TYPE_IDENTIFIER, text, ""}; }
Scalar String(const std::string& value) {
  return {false, Tokenizer::TYPE_STRING, "\"" + value + "\"", value};
}

TEST(Scalar, AnIntegerHasTheRangeOfItsType) {
  EXPECT_EQ(JobProblem("train_steps", Integer("2147483647")), "");
  EXPECT_EQ(JobProblem("train_steps", Integer("2147483648")),
            "must be <= 2147483647, is 2147483648");
  EXPECT_EQ(JobProblem("train_steps", Integer("2147483648", true)), "");
  EXPECT_EQ(JobProblem("train_steps", Integer("2147483649", true)),
            "must be >= -2147483648, is -2147483649");
  EXPECT_EQ(JobProblem("train_steps", Float("1e3")), "must be an integer, is 1e3");
  EXPECT_EQ(JobProblem("train_steps", Word("many")), "must be an integer, is many");
}

TEST(Scalar, ANumberIsFiniteAndDecimal) {
  const auto* const updater = UpdaterProto::descriptor();
  EXPECT_EQ(ProblemOf(updater, "momentum", Float("1.5e-3")), "");
  EXPECT_EQ(ProblemOf(updater, "momentum", Integer("3")), "");
  EXPECT_EQ(ProblemOf(updater, "momentum", Integer("010")), "must be a decimal number, is 010");
  EXPECT_EQ(ProblemOf(updater, "momentum", Float("1e39")), "must be finite, is 1e39");
  EXPECT_EQ(ProblemOf(updater, "momentum", Word("NaN")), "must be finite, is NaN");
  EXPECT_EQ(ProblemOf(updater, "momentum", String("1")), "must be a number, is \"1\"");
}

TEST(Scalar, ABoolIsAWordOrZeroOrOne) {
  for (const char* word : {"true", "false", "True", "f"})
    EXPECT_EQ(JobProblem("debug", Word(word)), "");
  EXPECT_EQ(JobProblem("debug", Integer("1")), "");
  EXPECT_EQ(JobProblem("debug", Integer("2")), "must be true or false, is 2");
  EXPECT_EQ(JobProblem("debug", Word("yes")), "must be true or false, is yes");
}

TEST(Scalar, AnEnumSuggestsItsValues) {
  const auto* const updater = UpdaterProto::descriptor();
  EXPECT_EQ(ProblemOf(updater, "type", Word("kSGD")), "");
  EXPECT_EQ(ProblemOf(updater, "type", String("kSGD")),
            "must be written without quotes, is \"kSGD\"");
  EXPECT_NE(ProblemOf(updater, "type", Word("kSDG")).find("did you mean \"kSGD\"?"),
            std::string::npos);
}

TEST(Scalar, AStringIsUtf8WithoutNul) {
  for (const char* text : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"})
    EXPECT_EQ(StringProblem(text), "") << text;
  EXPECT_EQ(StringProblem(std::string("a\0b", 3)), "must not contain a NUL byte");
  // The texts have a lone second byte, an overlong form, a surrogate, a number beyond Unicode, a
  // cut character.
  for (const char* text : {"a\x80", "a\xC0\x80", "a\xED\xA0\x80", "a\xF4\x90\x80\x80", "a\xE2\x82"})
    EXPECT_EQ(StringProblem(text), "must be UTF-8, is not from byte 1 on") << text;
}

TEST(Scalar, AFieldThatIsMissingIsLookedForNearby) {
  EXPECT_EQ(NoSuchField(*JobProto::descriptor(), "train_step", nullptr),
            "no such field in JobProto; did you mean \"train_steps\"?");
  EXPECT_EQ(NoSuchField(*JobProto::descriptor(), "nworker_groups", nullptr),
            "no such field in JobProto; did you mean \"cluster.nworker_groups\"?");
  EXPECT_EQ(NoSuchField(*UpdaterProto::descriptor(), "train_steps", JobProto::descriptor()),
            "no such field in UpdaterProto; it belongs to JobProto, outside of these braces");
}

}  // namespace
}  // namespace singa
