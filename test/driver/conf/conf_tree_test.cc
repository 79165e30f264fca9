#include "driver/conf/conf_tree.h"

#include <gtest/gtest.h>

#include "driver/conf/conf_scanner.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

// Has the tree of `text`, a JobProto.
struct Tree {
  explicit Tree(const std::string& text) {
    root.type = JobProto::descriptor();
    ScanConf(text, &root, nullptr);
  }
  // Returns the line that Locate finds for `path`.
  int LineOf(std::string_view path) const { return Locate(root, path).line; }

  ConfNode root;
};

const google::protobuf::FieldDescriptor* Field(const std::string& name) {
  return JobProto::descriptor()->FindFieldByName(name);
}

std::vector<std::string> PathsOfMissing(const Tree& tree) {
  std::vector<std::string> paths;
  for (const MissingField& missing : MissingFields(tree.root))
    paths.push_back(PathOf(*missing.message) + "." + missing.field->name());
  return paths;
}

TEST(ConfTreeTest, AFieldIsFoundByItsIndex) {
  ConfNode root;
  root.type = JobProto::descriptor();
  const ConfNode* const first = root.Add(Field("gpu"), 0);
  const ConfNode* const second = root.Add(Field("gpu"), 1);
  EXPECT_EQ(root.Find(Field("gpu")), first);
  EXPECT_EQ(root.Find(Field("gpu"), 1), second);
  EXPECT_EQ(root.Find(Field("gpu"), 2), nullptr);
  EXPECT_EQ(root.Find(Field("name")), nullptr);
}

TEST(ConfTreeTest, OfAFieldThatIsGivenTwiceTheLaterIsFound) {
  ConfNode root;
  root.Add(Field("name"), 0);
  const ConfNode* const later = root.Add(Field("name"), 0);
  EXPECT_EQ(root.Find(Field("name")), later);
}

TEST(ConfTreeTest, AnAddedFieldKnowsItsPlaceInTheTree) {
  ConfNode root;
  const ConfNode* const node = root.Add(Field("updater"), 0);
  EXPECT_EQ(node->parent, &root);
  EXPECT_EQ(node->type, UpdaterProto::descriptor());
  EXPECT_EQ(root.Add(Field("gpu"), 3)->index, 3);
  EXPECT_EQ(root.Add(Field("gpu"), 3)->type, nullptr);
}

TEST(ConfTreeTest, OnlyTheFirst1000NumbersOfAListHaveNodes) {
  EXPECT_TRUE(HasNode(*Field("gpu"), 999));
  EXPECT_FALSE(HasNode(*Field("gpu"), 1000));
}

TEST(ConfTreeTest, MessagesAndStringsHaveNodesHoweverManyThereAre) {
  EXPECT_TRUE(HasNode(*NetProto::descriptor()->FindFieldByName("layer"), 100000));
  EXPECT_TRUE(HasNode(*LayerProto::descriptor()->FindFieldByName("srclayers"), 100000));
}

TEST(ConfTreeTest, APathNamesLayersAndCountsOtherMessages) {
  const Tree tree("neuralnet { layer { name: 'a' param { } param { init { } } } }");
  EXPECT_EQ(PathOf(Locate(tree.root, "neuralnet.layer[a].param[1].init")),
            "neuralnet.layer[a].param[1].init");
  EXPECT_EQ(PathOf(tree.root), "");
}

TEST(ConfTreeTest, LayersOfOneNameAreCounted) {
  const Tree tree("neuralnet { layer { name: 'a' }\nlayer { name: 'a' }\nlayer { } }");
  EXPECT_EQ(tree.LineOf("neuralnet.layer[a#0]"), 1);
  EXPECT_EQ(tree.LineOf("neuralnet.layer[a#1]"), 2);
  EXPECT_EQ(tree.LineOf("neuralnet.layer[2]"), 3);
}

TEST(ConfTreeTest, APathThatIsNotGivenIsAtTheMessageAround) {
  const Tree tree("name: 'x'\nupdater {\ntype: kSGD }");
  EXPECT_EQ(&Locate(tree.root, ""), &tree.root);
  EXPECT_EQ(&Locate(tree.root, "cluster.workspace"), &tree.root);
  EXPECT_EQ(tree.LineOf("updater.momentum"), 2);
  EXPECT_EQ(tree.LineOf("updater.type"), 3);
}

TEST(ConfTreeTest, ANameIsNotTakenForALongerOne) {
  const Tree tree("\ntest_steps: 1\ntest_freq: 2");
  EXPECT_EQ(&Locate(tree.root, "test_step"), &tree.root);
  EXPECT_EQ(&Locate(tree.root, "test_freqs"), &tree.root);
}

TEST(ConfTreeTest, APathToAListOfMessagesMayLeaveOutTheIndex) {
  const Tree tree("neuralnet { layer { name: 'a'\nparam { }\nparam { } } }");
  EXPECT_EQ(tree.LineOf("neuralnet.layer[a].param"), 2);
}

TEST(ConfTreeTest, APathToALayerNamesIt) {
  const Tree tree("neuralnet {\nlayer { name: 'a' } }");
  EXPECT_EQ(tree.LineOf("neuralnet.layer"), 1);
}

TEST(ConfTreeTest, AValueOfAListWithoutANodeIsAtTheFirstValue) {
  const Tree tree("\ngpu: 1\ngpu: 2");
  EXPECT_EQ(tree.LineOf("gpu"), 2);
  EXPECT_EQ(tree.LineOf("gpu[1]"), 3);
  EXPECT_EQ(tree.LineOf("gpu[7]"), 2);
}

TEST(ConfTreeTest, TakesLabelsFromTheMessage) {
  Tree tree("neuralnet { layer { name: 'a' } layer { name: 'b' } }");
  JobProto job;
  job.mutable_neuralnet()->add_layer()->set_name("c");
  job.mutable_neuralnet()->add_layer()->set_name("d");
  TakeLabels(job, &tree.root);
  NameParts(&tree.root);
  EXPECT_EQ(Locate(tree.root, "neuralnet.layer[d]").label, "d");
}

TEST(ConfTreeTest, RequiredFieldsThatAreNotGivenAreMissing) {
  EXPECT_EQ(PathsOfMissing(Tree("neuralnet { layer { } layer { name: 'b' lrn_conf { } } }")),
            (std::vector<std::string>{"neuralnet.layer[0].name",
                                      "neuralnet.layer[b].lrn_conf.local_size"}));
  EXPECT_TRUE(PathsOfMissing(Tree("neuralnet { layer { name: 'b' } }")).empty());
}

TEST(ConfTreeTest, NothingIsMissingWhereParsingStopped) {
  EXPECT_TRUE(PathsOfMissing(Tree("neuralnet { layer { type: kReLU")).empty());
}

}  // namespace
}  // namespace singa
