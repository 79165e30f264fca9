// Tests how layers that read records treat their conf, before Setup.
#include "singa/nn/record_reader.h"

#include <gtest/gtest.h>

#include "nn/graph/wiring_of.h"
#include "support/net_test.h"

namespace singa {
namespace {

LayerProto Parse(const std::string& text) {
  return ParseNet("layer { name: 'a' " + text + " }").layer(0);
}

int64_t BatchAfterSet(LayerProto conf) {
  const std::unique_ptr<Layer> layer = MakeLayer(conf);
  layer->reader()->SetBatchSize(3, &conf);
  return layer->reader()->BatchSize(conf);
}

TEST(RecordReader, IsOfInputLayersAlone) {
  EXPECT_NE(MakeLayer(Parse("type: kCSVInput"))->reader(), nullptr);
  EXPECT_EQ(MakeLayer(Parse("type: kReLU"))->reader(), nullptr);
}

TEST(RecordReader, CountsTheRowsOfAllWorkers) {
  const LayerProto conf = Parse("type: kRecordInput store_conf { batchsize: 4 batchsize: 6 }");
  EXPECT_EQ(MakeLayer(conf)->reader()->BatchSize(conf), 10);
}

TEST(RecordReader, SetsTheBatchWhereItsConfHasIt) {
  EXPECT_EQ(BatchAfterSet(Parse("type: kRecordInput store_conf { batchsize: 4 batchsize: 6 }")), 3);
  EXPECT_EQ(BatchAfterSet(Parse("type: kShardData sharddata_conf { path: 'p' batchsize: 4 }")), 3);
  EXPECT_EQ(BatchAfterSet(Parse("type: kLMDBData lmdbdata_conf { path: 'p' batchsize: 4 }")), 3);
}

TEST(RecordReader, OfATextKeepsItsSegments) {
  EXPECT_EQ(BatchAfterSet(Parse("type: kCharRNN char_rnn_conf { batchsize: 5 }")), 5);
}

TEST(RecordReader, OfATextNamesItsCharacters) {
  const LayerProto text = Parse("type: kCharRNN char_rnn_conf { vocab_path: 'v' }"),
                   records = Parse("type: kRecordInput");
  EXPECT_EQ(MakeLayer(text)->reader()->VocabularyPath(text), "v");
  EXPECT_EQ(MakeLayer(records)->reader()->VocabularyPath(records), "");
}

TEST(WritesFile, IsWhatTheLayerSays) {
  EXPECT_TRUE(WritesFile(Parse("type: kCSVOutput")));
  EXPECT_TRUE(WritesFile(Parse("type: kCharRNNOutput")));
  EXPECT_FALSE(WritesFile(Parse("type: kReLU")));
  EXPECT_FALSE(WritesFile(Parse("user_type: 'NobodyHasIt'")));
}

}  // namespace
}  // namespace singa
