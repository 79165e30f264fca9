#include <set>

#include "io/temp_dir.h"
#include "singa/nn/record_reader.h"
#include "support/layer_test.h"

namespace singa {
namespace {

// The text is "abcdefghijklmnop" in two rows. In the vocabulary, a has the index 0.
class CharRnn : public ::testing::Test {
 protected:
  CharRnn()
      : text_(dir_.Write("text", "abcdefghijklmnop")),
        vocabulary_(dir_.Write("vocabulary", "abcdefghijklmnopqrstuvwxyz")) {}

  std::unique_ptr<BuiltLayer> Build(const std::string& conf = "unroll_len: 3 batchsize: 2",
                                    const std::string& more = "") {
    return std::make_unique<BuiltLayer>(
        ctx_,
        StrCat("name: 'text' type: kCharRNN char_rnn_conf { path: '", text_, "' vocab_path: '",
               vocabulary_, "' ", conf, "} ", more),
        std::vector<Input>());
  }
  // Returns the characters of each row in the next step.
  static std::vector<std::string> Next(BuiltLayer* layer, int64_t step = 0, Phase phase = kTrain) {
    layer->BeginStep(step);
    layer->Forward(phase);
    std::vector<std::string> rows(layer->output_shape().size());
    for (int l = 0; l < layer->num_outputs(); ++l)
      for (size_t r = 0; r < rows.size(); ++r)
        rows[r] += static_cast<char>('a' + layer->out(l).data.data()[r]);
    return rows;
  }

  const TempDir dir_;
  const std::string text_, vocabulary_;
  Context ctx_;
};

using Rows = std::vector<std::string>;

TEST_F(CharRnn, GivesAWindowAStepAndBeginsAgain) {
  const auto layer = Build();
  EXPECT_EQ(layer->num_outputs(), 4);
  EXPECT_EQ(layer->output_shape(), Shape({2}));
  EXPECT_EQ(Next(layer.get()), (Rows{"abcd", "ijkl"}));
  EXPECT_EQ(Next(layer.get()), (Rows{"defg", "lmno"}));
  EXPECT_EQ(Next(layer.get()), (Rows{"abcd", "ijkl"}));
}

TEST_F(CharRnn, GoesOnWhereItIsSent) {
  const auto layer = Build("unroll_len: 2 batchsize: 2");  // three windows
  for (int i = 0; i < 5; ++i) Next(layer.get());
  const int64_t position = layer->layer().reader()->Position();
  EXPECT_EQ(position, 5);
  const Rows sixth = Next(layer.get()), seventh = Next(layer.get());
  EXPECT_EQ(sixth, (Rows{"efg", "mno"}));
  const auto other = Build("unroll_len: 2 batchsize: 2");
  other->layer().reader()->Seek(position);
  EXPECT_EQ(Next(other.get()), sixth);
  EXPECT_EQ(Next(other.get()), seventh);
  other->layer().reader()->Seek(0);
  EXPECT_EQ(Next(other.get()), (Rows{"abc", "ijk"}));
}

TEST_F(CharRnn, CountsAsManyRecordsAsAPassHasRows) {
  EXPECT_EQ(Build()->layer().reader()->CountRecords(), 4);
  EXPECT_EQ(Build("unroll_len: 2 batchsize: 2")->layer().reader()->CountRecords(), 6);
  EXPECT_EQ(Build("unroll_len: 15")->layer().reader()->CountRecords(), 1);
}

TEST_F(CharRnn, ReadsAPartOfTheText) {
  EXPECT_EQ(Next(Build("unroll_len: 3 end: 0.5").get()), (Rows{"abcd"}));
  EXPECT_EQ(Next(Build("unroll_len: 3 begin: 0.5").get()), (Rows{"ijkl"}));
  EXPECT_EQ(Build("unroll_len: 3 begin: 0.5")->layer().reader()->CountRecords(), 2);
}

TEST_F(CharRnn, ShuffleBeginsTheWindowsOfATrainingAnywhere) {
  const std::string shuffle = "unroll_len: 3 batchsize: 2 shuffle: true";
  const auto layer = Build(shuffle);
  std::set<std::string> windows;
  for (int64_t step = 0; step < 200; ++step)
    for (const std::string& row : Next(layer.get(), step)) windows.insert(row);
  std::set<std::string> all;
  for (size_t begin = 0; begin < 13; ++begin)
    all.insert(std::string("abcdefghijklmnop").substr(begin, 4));
  EXPECT_EQ(windows, all);

  const Rows rows = Next(layer.get(), 7);
  EXPECT_EQ(Next(Build(shuffle).get(), 7), rows);
  EXPECT_NE(Next(Build(shuffle).get(), 8), rows);
  EXPECT_EQ(Next(Build(shuffle).get(), 7, kTest), (Rows{"abcd", "ijkl"}));
  const auto place = layer->layer().reader()->RecordOfRow(3);  // row 1 of time step 1
  EXPECT_EQ(rows[1][1], 'a' + static_cast<char>(place.second));
}

TEST_F(CharRnn, PartitionsTheRows) {
  Rows rows;
  for (int i = 0; i < 3; ++i) {
    const auto layer = Build("unroll_len: 2 batchsize: 5",
                             StrCat("partition_dim: 0 num_partitions: 3 partition_id: ", i));
    EXPECT_EQ(layer->out(0).span.first, i * 5 / 3);
    EXPECT_EQ(layer->out(0).span.batch, 5);
    for (const std::string& row : Next(layer.get())) rows.push_back(row);
  }
  EXPECT_EQ(rows, (Rows{"abc", "def", "ghi", "jkl", "mno"}));
}

TEST_F(CharRnn, ItsOutputsAreTimeSteps) {
  const auto layer = Build();
  EXPECT_TRUE(layer->wiring().is_input);
  EXPECT_TRUE(layer->wiring().outputs_are_steps);
  EXPECT_FALSE(layer->wiring().differentiable);
  for (int l = 0; l < 4; ++l) {
    EXPECT_EQ(layer->out(l).span.first_step, l);
    EXPECT_EQ(layer->out(l).span.rows, 2);
  }
}

TEST_F(CharRnn, NamesTheBadByteWhenItOpens) {
  const std::string path = dir_.Write("bad", "abc\nD");
  BuiltLayer layer(ctx_,
                   StrCat("type: kCharRNN char_rnn_conf { unroll_len: 2 path: '", path,
                          "' vocab_path: '", vocabulary_, "' }"),
                   {});
  EXPECT_ERROR(layer.layer().reader()->CountRecords(), kExitBadData, path,
               "byte 3, in line 1, is \"\\x0a\"");
}

TEST_F(CharRnn, RejectsMistakes) {
  EXPECT_CONFIG_ERROR(Build("unroll_len: 0"), "char_rnn_conf.unroll_len");
  EXPECT_CONFIG_ERROR(Build("unroll_len: 2147483647"), "char_rnn_conf.unroll_len");
  EXPECT_CONFIG_ERROR(Build("batchsize: 0"), "char_rnn_conf.batchsize");
  EXPECT_CONFIG_ERROR(Build("begin: -0.1"), "char_rnn_conf.begin");
  EXPECT_CONFIG_ERROR(Build("begin: nan"), "char_rnn_conf.begin");
  EXPECT_CONFIG_ERROR(Build("begin: 0.5 end: 0.5"), "char_rnn_conf.end");
  EXPECT_CONFIG_ERROR(Build("end: 1.5"), "char_rnn_conf.end");
  EXPECT_CONFIG_ERROR(Build("batchsize: 2", "num_partitions: 3"), "char_rnn_conf.batchsize");
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kCharRNN char_rnn_conf { vocab_path: 'v' }", {}),
                      "char_rnn_conf.path");
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kCharRNN char_rnn_conf { path: 't' }", {}),
                      "char_rnn_conf.vocab_path");
}

}  // namespace
}  // namespace singa
