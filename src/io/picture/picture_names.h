// These functions judge the files of a picture folder only by their names.
#pragma once

#include <string>

namespace singa {

// The endings of files that are decoded, for messages.
extern const char kPictureEndings[];

// Returns whether a file of this name is decoded: it has one of kPictureEndings, in any case.
bool HasPictureName(const std::string& path);

// Returns whether the name is that of a picture, decoded or not: .png, .gif, .heic, ...
bool HasNameOfAnyPicture(const std::string& path);

// Returns whether many picture folders have a file of this name beside the data; such files are
// ignored. These are hidden files, Thumbs.db, README, LICENSE, checksums, and notes or annotations
// by their endings (.txt, .csv, .json, .xml, ...).
bool LiesBesideData(const std::string& path);

// Returns whether a folder is hidden, or is __MACOSX, which packers add.
bool IsHiddenFolder(const std::string& name);

}  // namespace singa
