// Tests what the readers of a net tell together.
#include "nn/net_readers.h"

#include <string>

#include "singa/nn/record_reader.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace net_readers_test {

// CountingReader has as many records as dummy_conf.shape says, and the stride of its second number.
class CountingReader final : public Layer, public RecordReader {
 public:
  Wiring wiring(const LayerProto&) const override { return {.is_input = true}; }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    records_ = conf.dummy_conf().shape(0);
    stride_ = conf.dummy_conf().shape(1);
    out[0]->data.SetShape({2, 3});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
  RecordReader* reader() override { return this; }

  int64_t Position() const override { return position_; }
  void Seek(int64_t position) override { position_ = position; }
  int64_t Stride() const override { return stride_; }
  int64_t CountRecords() override { return records_; }
  std::vector<std::string> ClassNames() override {
    if (records_ < 10) return {};
    return {StrCat("one of ", records_)};
  }
  std::vector<int64_t> BadRecords() const override { return bad_; }
  void RestoreBadRecords(const std::vector<int64_t>& records) override { bad_ = records; }
  double TakeWaitMs() override { return static_cast<double>(records_); }

 private:
  int64_t records_ = 0, stride_ = 0, position_ = 0;
  std::vector<int64_t> bad_;
};
SINGA_REGISTER_LAYER(CountingReader, CountingReader);

std::string Reader(const std::string& name, int records, int stride = 2) {
  return StrCat("layer { name: '", name,
                "' user_type: 'CountingReader' dummy_conf { shape: ", records, " shape: ", stride,
                " } }\n");
}

// The nets are not opened, as that compares the numbers of records.
struct ReadersOf : TestNet, NetReaders {
  explicit ReadersOf(const std::string& text) : TestNet(text, {}, false), NetReaders(&net) {}
};

TEST(NetReaders, CountTheRecordsThatAllStoresHave) {
  EXPECT_EQ(ReadersOf(Reader("a", 8) + Reader("b", 8)).CountRecords(), 8);
}

TEST(NetReaders, CountNoneWithoutAStore) {
  EXPECT_EQ(ReadersOf("layer { name: 'in' type: kDummy dummy_conf { input: true shape: 2 } }")
                .CountRecords(),
            -1);
}

TEST(NetReaders, RefuseStoresOfDifferentSizes) {
  ReadersOf readers(Reader("a", 8) + Reader("b", 9));
  EXPECT_CONFIG_ERROR_SAYS(readers.CountRecords(), "neuralnet.layer[b]",
                           "has 9 records, that of layer \"a\" 8");
}

TEST(NetReaders, TellTheClassesOfTheFirstThatHasAny) {
  ReadersOf readers(Reader("a", 8) + Reader("b", 12) + Reader("c", 13));
  EXPECT_EQ(readers.ClassNames(), std::vector<std::string>{"one of 12"});
}

TEST(NetReaders, KeepTheBadRecordsOfEachLayer) {
  ReadersOf readers(Reader("a", 8) + Reader("b", 8) + Reader("c", 8));
  readers.RestoreBadRecords("c", {1, 5});
  readers.RestoreBadRecords("a", {3});
  EXPECT_EQ(readers.BadRecords(), (NetReaders::Records{{"a", {3}}, {"c", {1, 5}}}));
}

TEST(NetReaders, SeekByTheNameOfTheLayer) {
  ReadersOf readers(Reader("a", 8) + Reader("b", 8));
  readers.Seek({{"b", 6}, {"a", 4}});
  EXPECT_EQ(readers.positions(), (NetReaders::Positions{{"a", 4}, {"b", 6}}));
}

TEST(NetReaders, SkipByTheStrideOfEach) {
  ReadersOf readers(Reader("a", 8, 2) + Reader("b", 8, 1));
  readers.Seek({{"a", 10}, {"b", 20}});
  EXPECT_TRUE(readers.Skip(3));
  EXPECT_EQ(readers.positions(), (NetReaders::Positions{{"a", 16}, {"b", 23}}));
}

TEST(NetReaders, DoNotSkipWhereAStrideIsNotKnown) {
  EXPECT_FALSE(ReadersOf(Reader("a", 8, 0)).Skip(1));
  EXPECT_TRUE(ReadersOf(Reader("a", 8, 0)).Skip(0));
}

TEST(NetReaders, AddUpTheTimesThatTheyWaited) {
  EXPECT_EQ(ReadersOf(Reader("a", 8) + Reader("b", 9)).TakeWaitMs(), 17);
}

}  // namespace net_readers_test
}  // namespace singa
