// Tests the names of classes that a checkpoint keeps.
#include "io/checkpoint/trained_classes.h"

#include <gtest/gtest.h>

#include "io/checkpoint/sample.h"

namespace singa {
namespace {

using Names = std::vector<std::string>;

Names Kept(const Names& names) {
  const TempFolder workspace;
  PosixFileSystem disk;
  const NumberedModel sample(20, 1);
  CheckpointContent content = sample.content();
  SetClasses(names, &content.run);
  return TrainedClasses({WriteCheckpoint(disk, workspace.path(), content)});
}

TEST(TrainedClassesTest, AreTheNamesOfFoldersOrAnyWords) {
  for (const Names& names : {Names{}, Names{"cat"}, Names{"cat", "hot dog"}, Names{"/"},
                             Names{"n/a", "no"}, Names{"a", "/b/", "c//", "\\n"}})
    EXPECT_EQ(Kept(names), names);
}

}  // namespace
}  // namespace singa
