// Tests what is known of a store, or of a text, before training opens it.
#include "driver/facts/peek_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "support/driver/conf_findings.h"
#include "support/net_test.h"

namespace singa::peek_store {
namespace {

constexpr int64_t kSlow = int64_t{65} << 20;  // bytes that are not indexed for a look

PeekedStore Peek(const RowSource& source) { return PeekStore(source, PeekAt::kRecords); }

class PeekStoreTest : public testing::Test {
 protected:
  // Returns a source of records of two numbers.
  static RowSource Source(const std::string& backend, const std::string& path) {
    RowSource source;
    source.backend = backend;
    source.store.path = path;
    source.store.format = ValueFormat::kCsv;
    source.shape = {2};
    return source;
  }
  RowSource Text(const std::string& lines) const {
    return Source("textfile", dir_.Write("lines", lines));
  }
  // Returns a source with a file of labels, whose two images have two pixels.
  RowSource Images(const std::string& images, const std::string& labels) const {
    RowSource source = Source("idx", dir_.Path(images));
    dir_.Write(images, Idx({2, 1, 2}, "abcd"));
    source.store.label_path = dir_.Write(labels, Idx({2}, std::string("\0\1", 2)));
    return source;
  }
  // Makes the file larger, without content.
  static void MakeSlow(const RowSource& source) {
    std::filesystem::resize_file(source.store.path, kSlow);
  }
  static std::string Path(const PeekedStore& peeked) {
    return peeked.errors.size() == 1 ? peeked.errors[0].path() : LinesOf(peeked.errors);
  }

  const TempDir dir_;
};

TEST_F(PeekStoreTest, AStoreThatIsInOrderHasFacts) {
  const PeekedStore peeked = Peek(Text("0,1,2\n4,3,4\n"));
  EXPECT_EQ(LinesOf(peeked.errors), "");
  ASSERT_TRUE(peeked.facts);
  EXPECT_EQ(peeked.facts->records, 2);
  EXPECT_EQ(peeked.facts->labels.greatest, 4);
}

// The check of files reports it.
TEST_F(PeekStoreTest, AMissingStoreIsNoErrorHere) {
  const PeekedStore peeked = Peek(Source("textfile", dir_.Path("none")));
  EXPECT_EQ(LinesOf(peeked.errors), "");
  EXPECT_FALSE(peeked.facts);
}

TEST_F(PeekStoreTest, ARecordThatCannotBeReadIsAnErrorOfThePath) {
  const PeekedStore peeked = Peek(Text("0,x,2\n"));
  EXPECT_EQ(Path(peeked), "path");
  EXPECT_EQ(peeked.errors.at(0).code(), kExitBadData);
}

TEST_F(PeekStoreTest, ABadLineOfASmallTextIsAnErrorWhereverItIs) {
  const RowSource source = Text("0,1,2\n\n1,3,4\n1,NA,2\n0,x,2\n");
  const PeekedStore peeked = Peek(source);
  EXPECT_EQ(Path(peeked), "path");
  EXPECT_EQ(peeked.errors.at(0).message(),
            source.store.path +
                ":4: record 2: number 1 in column 2 is \"NA\"; on_bad_record: kSkip "
                "(singa data: -max_bad N) leaves such records out; columns { name: "
                "\"2\" missing: NUMBER } fills gaps");
  EXPECT_EQ(LinesOf(PeekStore(source, PeekAt::kFacts).errors), "");
  EXPECT_EQ(Path(Peek(Text("0,1,2\n1,3,4,5\n"))), "path");
}

TEST_F(PeekStoreTest, ARecordOfAnotherSizeIsAnErrorOfTheShape) {
  EXPECT_EQ(Path(Peek(Text("0,1,2,3\n"))), "shape");
}

TEST_F(PeekStoreTest, ABadRecordThatMayBeSkippedIsNoError) {
  RowSource source = Text("0,x,2\n1,1,2\n");
  source.max_bad = 1;
  const PeekedStore peeked = Peek(source);
  EXPECT_EQ(LinesOf(peeked.errors), "");
  EXPECT_TRUE(peeked.facts);
}

TEST_F(PeekStoreTest, AStoreWithoutARecordIsAnError) { EXPECT_EQ(Path(Peek(Text(""))), "path"); }

TEST_F(PeekStoreTest, AFileOfLabelsThatDoesNotFitIsAnErrorOfItsField) {
  const RowSource source = Images("images", "labels");
  EXPECT_EQ(Path(Peek(source)), "");
  dir_.Write("labels", Idx({3}, "abc"));
  EXPECT_EQ(Path(Peek(source)), "label_path");
}

TEST_F(PeekStoreTest, ADamagedFileOfImagesIsAnErrorOfThePathWhateverTheLabelsAreCalled) {
  for (const char* labels : {"labels", "set"}) {
    const RowSource source = Images("set.images", labels);
    dir_.Write("set.images", "no images");
    EXPECT_EQ(Path(Peek(source)), "path") << labels;
  }
}

TEST_F(PeekStoreTest, ALargeTextIsReadToItsFirstLineAlone) {
  RowSource source = Text("0,1,2\n0,x,2\n");
  MakeSlow(source);
  PeekedStore peeked = Peek(source);
  EXPECT_EQ(LinesOf(peeked.errors), "");
  EXPECT_FALSE(peeked.facts);
  source = Text("0,x,2\n0,1,2\n");
  MakeSlow(source);
  EXPECT_EQ(Path(Peek(source)), "path");
}

TEST_F(PeekStoreTest, ALargeStoreOfAnotherKindIsNotOpened) {
  const RowSource source = Source("kvfile", dir_.Write("damaged", "no records"));
  EXPECT_EQ(Path(Peek(source)), "path");
  MakeSlow(source);
  const PeekedStore peeked = Peek(source);
  EXPECT_EQ(LinesOf(peeked.errors), "");
  EXPECT_FALSE(peeked.facts);
}

// Returns the errors of the net's first layer.
std::string ReaderErrors(const std::string& layer) {
  TestNet test(layer, {}, false);
  return LinesOf(PeekReader(&test.net, &test.net.nodes()[0]));
}

class PeekReaderTest : public PeekStoreTest {
 protected:
  std::string TextLayer(const std::string& text) const {
    return StrCat("unroll_len: 2 layer { name: 'text' type: kCharRNN char_rnn_conf { path: '", text,
                  "' vocab_path: '", dir_.Write("vocabulary", "ab"),
                  "' unroll_len: 2 batchsize: 2 } }");
  }
};

TEST_F(PeekReaderTest, ATextThatIsInOrderHasNoError) {
  EXPECT_EQ(ReaderErrors(TextLayer(dir_.Write("text", "ababababab"))), "");
}

TEST_F(PeekReaderTest, ATextThatCannotBeUsedIsAnErrorOfItsField) {
  const std::string said = ReaderErrors(TextLayer(dir_.Write("text", "ab")));
  EXPECT_EQ(said.rfind("char_rnn_conf.path: ", 0), 0u) << said;
  EXPECT_NE(said.find("windows longer than the text"), std::string::npos) << said;
}

TEST_F(PeekReaderTest, AMissingTextIsNoErrorHere) {
  EXPECT_EQ(ReaderErrors(TextLayer(dir_.Path("none"))), "");
}

TEST_F(PeekReaderTest, ALayerThatReadsAStoreIsLeftToPeekStore) {
  EXPECT_EQ(ReaderErrors(StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '",
                                dir_.Write("lines", "0,x,2\n"), "' batchsize: 1 shape: 2 } }")),
            "");
}

TEST_F(PeekReaderTest, ALayerWithoutAReaderHasNoErrors) {
  EXPECT_EQ(ReaderErrors("layer { name: 'x' type: kDummy "
                         "dummy_conf { input: true shape: 2 shape: 3 } }"),
            "");
}

}  // namespace
}  // namespace singa::peek_store
