#include "driver/serve/input_rows.h"

#include <gtest/gtest.h>

#include "driver/http/http_access.h"
#include "io/temp_dir.h"

namespace singa {
namespace {

const InputForm kForm = {.shape = {2, 3}, .size = 6, .most_records = 3};

// Returns the status and the text with which a body is refused.
std::string Refusal(const std::string& body, const InputForm& form = kForm) {
  try {
    ReadJsonRows(body, form);
  } catch (const BadRequest& why) {
    return std::to_string(why.status()) + " " + why.what();
  }
  return "accepted";
}

void ExpectRefusal(const std::string& body, const std::string& part) {
  const std::string refusal = Refusal(body);
  EXPECT_NE(refusal.find(part), std::string::npos) << body << "\n" << refusal;
}

TEST(InputRowsTest, ReadsFlatAndNestedRecords) {
  const InputRows rows =
      ReadJsonRows(R"({"inputs": [[1, 2, 3, -4, 0.5, 1e2], [[1,2,3],[4,5,6]]]})", kForm);
  EXPECT_EQ(rows.numbers, (std::vector<float>{1, 2, 3, -4, 0.5f, 100, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rows.lengths, (std::vector<int64_t>{6, 6}));
}

TEST(InputRowsTest, NamesThePlaceOfAWrongValue) {
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6],[[1,2,3],[4,"5",6]]]})",
                "400 inputs[1][1][1] is a text, must be a number");
  ExpectRefusal(R"({"inputs":[[1,2,null]]})", "400 inputs[0][2] is null, must be a number");
  ExpectRefusal(R"({"inputs":[[1,2,[3]]]})", "400 inputs[0][2] is an array, must be a number");
  ExpectRefusal(R"({"inputs":[[[1,2,3],4]]})", "400 inputs[0][1] is a number, must be an array");
  ExpectRefusal(R"({"inputs":[[[1,2,3],[4,5,[6]]]]})",
                "400 inputs[0][1][2] is an array, must be a number");
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6],7]})",
                "400 inputs[1] is a number, must be an array of numbers");
  ExpectRefusal(R"({"inputs":[{"a":1}]})", "400 inputs[0] is an object, must be an array");
  ExpectRefusal(R"({"inputs":[[1e39,2,3,4,5,6]]})", "400 inputs[0][0] is not in the range");
  ExpectRefusal(R"({"inputs":7})", "400 inputs is a number, must be an array of records");
  ExpectRefusal("[[1]]", "400 the body is an array, must be an object");
}

TEST(InputRowsTest, NamesWrongSizes) {
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5]]})",
                "400 inputs[0] has 5 elements, must have 6: the net takes 2 x 3 numbers");
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6,7]]})", "the record has more than 2 x 3 numbers");
  ExpectRefusal(R"({"inputs":[[[1,2],[3,4],[5,6]]]})",
                "400 inputs[0][0] has 2 elements, must have 3");
  ExpectRefusal(R"({"inputs":[[[1,2,3]]]})", "400 inputs[0] has 1 element, must have 2");
  ExpectRefusal(R"({"inputs":[[]]})", "400 inputs[0] has 0 elements");
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6],[1,2,3,4,5,6],[1,2,3,4,5,6],[1,2,3,4,5,6]]})",
                "413 a request has at most 3 records");
}

TEST(InputRowsTest, RefusesOtherBodies) {
  ExpectRefusal("", "400 the body is no JSON");
  ExpectRefusal("{}", "400 the body has no \"inputs\"");
  ExpectRefusal(R"({"inputs":[]})", "400 \"inputs\" holds no record");
  ExpectRefusal(R"({"input":[]})", "400 \"input\" is no member of the body");
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6]],"inputs":[[1,2,3,4,5,6]]})",
                "400 \"inputs\" stands twice");
  ExpectRefusal(R"({"inputs":[[1,2,3,4,5,6]]} 7)", "400 the body is no JSON");
  ExpectRefusal(R"({"inputs":[[1e999]]})", "400 the body is no JSON");
  ExpectRefusal(R"({"inputs":)" + std::string(1'000'000, '['), "must be");
  EXPECT_LT(Refusal(R"({"inputs":[[1,2,)" + std::string(100'000, 'x')).size(), 400U);
}

TEST(InputRowsTest, ReadsTextsOfTheVocabulary) {
  const TempDir dir;
  dir.Write("vocab", "abc");
  const Vocabulary vocabulary(dir.Path("vocab"));
  InputForm form = {.shape = {4}, .size = 4, .most_records = 9, .vocabulary = &vocabulary};
  const InputRows whole = ReadJsonRows(R"({"inputs":["abca",[2,1,0,0]]})", form);
  EXPECT_EQ(whole.numbers, (std::vector<float>{0, 1, 2, 0, 2, 1, 0, 0}));
  EXPECT_EQ(Refusal(R"({"inputs":["abca","ab"]})", form),
            "400 inputs[1] has 2 characters, must have 4");
  EXPECT_NE(Refusal(R"({"inputs":["abcx"]})", form).find("inputs[0]: character "),
            std::string::npos);
  form.short_texts = true;
  const InputRows cut = ReadJsonRows(R"({"inputs":["cb"]})", form);
  EXPECT_EQ(cut.numbers, (std::vector<float>{2, 1, 0, 0}));
  EXPECT_EQ(cut.lengths, (std::vector<int64_t>{2}));
  EXPECT_EQ(Refusal(R"({"inputs":["abcab"]})", form),
            "400 inputs[0] has 5 characters, must have 1 to 4");
  EXPECT_NE(Refusal(R"({"inputs":[""]})", form), "accepted");
}

TEST(InputRowsTest, ReadsFloatsLeastByteFirst) {
  const std::string body("\0\0\x80\x3f\0\0\0\x40", 8);  // 1, 2
  const InputForm form = {.shape = {1}, .size = 1, .most_records = 2};
  EXPECT_EQ(ReadFloatRows(body, form).numbers, (std::vector<float>{1, 2}));
  EXPECT_THROW(ReadFloatRows(body.substr(1), form), BadRequest);
  EXPECT_THROW(ReadFloatRows("", form), BadRequest);
  EXPECT_THROW(ReadFloatRows(body + body, form), BadRequest);
  EXPECT_THROW(ReadFloatRows(std::string("\0\0\x80\x7f", 4), form), BadRequest);  // infinity
}

}  // namespace
}  // namespace singa
