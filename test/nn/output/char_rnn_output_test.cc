#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class CharRnnOutputTest : public LayerTest {
 protected:
  std::string Conf() const {
    return StrCat("type: kCharRNNOutput char_rnn_conf { vocab_path: '", vocabulary_, "' }");
  }

  const TempDir dir_;
  const std::string vocabulary_ = dir_.Write("vocabulary", "ab\nc");
};
SINGA_TEST_ON_ALL_DEVICES(CharRnnOutputTest);

TEST_P(CharRnnOutputTest, PrintsTheCharactersOfTheRowsAndNothingElse) {
  const auto layer = Build(Conf(), {{.shape = {4, 1}, .data = {1, 0, 2, 3}}});
  testing::internal::CaptureStdout();
  for (int64_t step = 0; step < 2; ++step) {
    layer->BeginStep(step);
    layer->Forward(kTest);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "ba\ncba\nc");
  EXPECT_EQ(layer->output_shape(), Shape({4}));
  EXPECT_EQ(layer->Output(), (Values{1, 0, 2, 3}));
}

TEST_P(CharRnnOutputTest, AnIndexOutsideIsBadData) {
  for (float index : {-1.f, 4.f, 0.5f})
    EXPECT_ERROR(Feature(Conf(), Shape({1}), {index}), kExitBadData, "the index is ",
                 "allows 0 to 3");
}

TEST_P(CharRnnOutputTest, RejectsMistakes) {
  EXPECT_CONFIG_ERROR(Build("type: kCharRNNOutput", Shape({1})), "char_rnn_conf.vocab_path");
  EXPECT_CONFIG_ERROR(Build(Conf(), {2, 3}), "srclayers");
}

}  // namespace
}  // namespace singa
