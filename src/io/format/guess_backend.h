// Which backend reads a file, judged by its first bytes.
#pragma once

#include <string>

namespace singa {

// "idx", "kvfile", "textfile", "lmdb", "cifar10" or "imagefolder"; of a folder one of the last
// three, or "kvfile" where it holds shard.dat. Throws FileError, and DataError for a picture and
// for a folder of idx files.
std::string GuessBackend(const std::string& path);

// For the end of an error about a store whose format was guessed.
std::string GuessText(const std::string& backend);

// The labels that go with MNIST's file of images by its name; "" where there is no such file.
std::string GuessLabelPath(const std::string& images);

}  // namespace singa
