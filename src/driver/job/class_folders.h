// Whether two nets that read pictures in class folders give them the same labels.
#pragma once

#include <string>
#include <vector>

namespace singa {

// What is wrong where labels of `test` have other names in `train`; "": nothing, or names are not
// known. Classes that `test` lacks behind its last one change no label.
std::string OtherLabels(const std::vector<std::string>& train,
                        const std::vector<std::string>& test);

}  // namespace singa
