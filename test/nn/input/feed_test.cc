#include "nn/input/feed.h"

#include <google/protobuf/text_format.h>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class FeedTest : public testing::Test {
 protected:
  // Feeds `rows` rows to an input layer of this conf. Returns the outputs, one after the other.
  Values Run(const std::string& text, int64_t rows, const Values& data) {
    Make(text, rows);
    fed_.data = data.data();
    Values all;
    for (Port& port : ports_) port.data = Tensor::Allocate(port.data.shape());
    layer_->Open(ctx_);
    layer_->ComputeFeature(ctx_, kTest, {}, outs_);
    for (const Port& port : ports_) {
      const std::vector<float> values = ToLogical(port.data);
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
  void Make(const std::string& text, int64_t rows) {
    LayerProto conf;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("name: 'data' " + text, &conf));
    layer_ = NewFeed(MakeLayer(conf), rows, &fed_);
    wiring_ = layer_->wiring(conf);
    ports_.resize(wiring_.num_outputs);
    outs_.clear();
    for (Port& port : ports_) outs_.push_back(&port);
    declare_.emplace(conf, &table_);
    layer_->Setup(conf, *declare_, {}, outs_);
  }

  const TempDir dir_;
  FedRows fed_;
  Context ctx_;
  std::unique_ptr<Layer> layer_;
  Wiring wiring_;
  std::deque<Port> ports_;
  std::vector<Port*> outs_;
  ParamTable table_;
  std::optional<Declare> declare_;
};

constexpr char kStore[] = "type: kCSVInput store_conf { path: '/none' batchsize: 9 shape: 2 ";

TEST_F(FeedTest, GivesTheRowsThatItIsGiven) {
  EXPECT_EQ(Run(StrCat(kStore, "}"), 3, {1, 2, 3, 4, 5, 6}), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ports_[0].data.shape(), Shape({3, 2}));
  EXPECT_EQ(ports_[0].span.batch, 3);
  EXPECT_FALSE(ports_[0].has_label());
  EXPECT_TRUE(wiring_.is_input);
}

TEST_F(FeedTest, NormalisesAsTheLayerDoes) {
  EXPECT_EQ(Run(StrCat(kStore, "mean_value: 1 std_value: 2 }"), 1, {1, 5}), (Values{0, 2}));
  const std::string mean = dir_.Write("mean", Tuple("0", Floats({1, 10})));
  EXPECT_EQ(Run(StrCat("type: kRecordInput store_conf { path: '/none' batchsize: 9 shape: 2 "
                       "mean_file: '",
                       mean, "' }"),
                2, {1, 10, 2, 20}),
            (Values{0, 0, 1, 10}));
}

TEST_F(FeedTest, PicturesArePlanar) {
  EXPECT_EQ(Run("type: kRecordInput store_conf { path: '/none' batchsize: 1 shape: [3, 1, 2] }", 1,
                {1, 2, 3, 4, 5, 6}),
            (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ports_[0].data.data()[1], 3);  // channels are stored last
}

// The text's reader has steps for the label, too, which is one step ahead.
TEST_F(FeedTest, ATextIsGivenStepByStep) {
  const Values steps =
      Run("type: kCharRNN unroll_len: 1 char_rnn_conf { path: '/none' vocab_path: '/none' "
          "unroll_len: 2 batchsize: 5 }",
          3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(StepsOfRow(wiring_), 2);
  EXPECT_EQ(ports_[0].data.shape()[0], 3);
  EXPECT_EQ(Values(steps.begin(), steps.begin() + 6), (Values{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(ports_[1].span.first_step, 1);
}

TEST_F(FeedTest, AMissingMeanFileIsAnErrorWhenItOpens) {
  Make(StrCat(kStore, "mean_file: '/none' }"), 1);
  EXPECT_THROW(layer_->Open(ctx_), FileError);
}

TEST_F(FeedTest, MistakesOfTheLayerAreItsOwn) {
  EXPECT_CONFIG_ERROR(Make("type: kCSVInput store_conf { path: '/none' batchsize: 1 }", 1),
                      "store_conf.shape");
}

}  // namespace
}  // namespace singa
