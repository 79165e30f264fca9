// GuessBackend finds the backend for a file by its content.
#pragma once

#include <string>

namespace singa {

// Returns "idx", "kvfile", "textfile", "imagelist", "lmdb", "cifar10" or "imagefolder". For a
// folder it returns one of the last three, or "kvfile" if it has a shard.dat. Throws FileError, and
// DataError for a picture and for a folder of idx files.
std::string GuessBackend(const std::string& path);

// Returns the end of an error about a store whose format was guessed. `remedies`: what else the
// user can say of such a store.
std::string GuessText(const std::string& backend, const std::string& remedies);

// Returns the path of the labels for MNIST's file of images, by its name; "" if no such file
// exists.
std::string GuessLabelPath(const std::string& images);

}  // namespace singa
