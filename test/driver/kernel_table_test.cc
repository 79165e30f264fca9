// Tests that the table of kernels in src/nn/README.md is correct.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "driver/conf/check_job.h"
#include "math/gemm/gemm_kernel.h"
#include "tensor/gpu/gpus.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

struct TableRow {
  std::set<std::string> layers, slots;
  std::string kernel, reason;
};

std::set<std::string> WordsOf(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;)
    if (word != "-") words.insert(word);
  return words;
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<TableRow> ReadTable() {
  std::ifstream file(SINGA_SOURCE_DIR "/src/nn/README.md");
  std::vector<TableRow> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(Trimmed(cell));
    if (cells.size() != 5 || cells[1] == "used by" || cells[1].starts_with("---")) continue;
    rows.push_back({WordsOf(cells[1]), WordsOf(cells[2]), cells[3], cells[4]});
  }
  return rows;
}

const KernelSlot* Find(const std::string& name) {
  for (const KernelSlot* slot : KernelSlot::All())
    if (slot->name() == name) return slot;
  return nullptr;
}

TEST(KernelTable, NamesTheBestKernelOfEverySlotOnce) {
  if (GemmKernel.Choice({}) != std::string("oneDNN")) GTEST_SKIP() << "this build has no oneDNN";
  std::map<std::string, int> times;
  for (const TableRow& row : ReadTable())
    for (const std::string& name : row.slots) {
      ++times[name];
      const KernelSlot* slot = Find(name);
      ASSERT_TRUE(slot) << "the table names a slot that is not there: " << name;
      EXPECT_EQ(row.kernel, slot->Choice({})) << name;
    }
  for (const KernelSlot* slot : KernelSlot::All())
    EXPECT_EQ(times[slot->name()], 1) << "lines of the table with " << slot->name();
}

TEST(KernelTable, SaysWhyWhereTheKernelIsNoLibrarys) {
  for (const TableRow& row : ReadTable())
    EXPECT_EQ(row.reason.empty(), row.kernel == "oneDNN") << *row.slots.begin();
}

TEST(KernelTable, NamesEveryLayer) {
  std::set<std::string> named;
  for (const TableRow& row : ReadTable()) named.insert(row.layers.begin(), row.layers.end());
  for (const std::string& layer : Layers().Names()) EXPECT_TRUE(named.count(layer)) << layer;
}

TEST(KernelTable, HasTheLinesThatTheExamplesNetsNeed) {
  const std::vector<TableRow> table = ReadTable();
  int lines = 0;
  for (const char* file : {"digits/job", "mnist/cnn", "mnist/mlp", "cifar10/convnet", "cifar10/bn",
                           "rbm/rbm1", "rbm/rbm4"}) {
    const auto checked = CheckJob(StrCat(SINGA_SOURCE_DIR "/examples/", file, ".conf"), {});
    ASSERT_TRUE(checked->conf.ok()) << checked->conf.Render();
    std::vector<KernelChoice> choices;
    Trainer trainer(checked->job, 1, &choices);
    for (const KernelChoice& choice : choices) {
      const NetNode* node = trainer.model().net().Find(choice.layer);
      ASSERT_TRUE(node) << choice.layer;
      const std::string type = LayerType_Name(node->conf.type());
      for (const TableRow& row : table) {
        if (!row.slots.count(choice.slot)) continue;
        EXPECT_TRUE(row.layers.count(type)) << type << " uses " << choice.slot;
        ++lines;
      }
    }
  }
  EXPECT_GT(lines, 100);
}

TEST(KernelTable, EverySlotHasAKernelForCuda) {
  if (!HasGpuDriver()) GTEST_SKIP() << "this build has no CUDA kernels";
  const std::set<std::string> vendors = {"Gemm", "InnerProductFeature", "Convolution", "Attention"};
  for (const TableRow& row : ReadTable())
    for (const std::string& name : row.slots) {
      const KernelSlot* slot = Find(name);
      ASSERT_TRUE(slot) << name;
      EXPECT_TRUE(slot->Has(Device::kCuda, Rank::kPlain)) << name;
      EXPECT_EQ(slot->Has(Device::kCuda, Rank::kVendor), vendors.count(name) > 0) << name;
    }
}

}  // namespace
}  // namespace singa
