// SplitData is the command `singa data split`.
#pragma once

#include <string>
#include <vector>

namespace singa {

inline constexpr char kSplitUsage[] = R"(
singa data split [flags] FILE TRAIN TEST
    Divides the lines of FILE, a table or a list of pictures, at random into two new files. Lines
    stay in their order, and a field in quotes may have line breaks. Names in a list stay as they
    are: if they begin at the folder of FILE, write the new files there, too.
      -test FRACTION   of the records that go to TEST; 0.2 if not given
      -seed N          another choice for each N; 0 if not given
      -header          the first line has the names of the columns; both files get it
      -separator S     as above: it decides where a field in quotes begins
      -by_class        divides the records of each class by itself
      -label_column C  of a table, for -by_class: a number from 1, or a name; 1 if not given
)";

// Runs the command with the words behind "split". Returns the exit code.
int SplitData(const std::vector<std::string>& words);

}  // namespace singa
