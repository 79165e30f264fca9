// Judges the files of a picture folder by their names alone.
#pragma once

#include <string>

namespace singa {

// Whether a file of this name is decoded: .jpg, .jpeg or .png, whatever the case.
bool HasPictureName(const std::string& path);

// Whether it is a picture, decoded or not: .webp, .gif, .tiff, ...
bool HasNameOfAnyPicture(const std::string& path);

// Whether a file of this name lies beside the data in many picture folders and is passed over:
// hidden ones, Thumbs.db, README, LICENSE, sums, and notes or annotations by their endings (.txt,
// .csv, .json, .xml, ...).
bool LiesBesideData(const std::string& path);

// Whether a folder is hidden, or is __MACOSX, which packers add.
bool IsHiddenFolder(const std::string& name);

}  // namespace singa
