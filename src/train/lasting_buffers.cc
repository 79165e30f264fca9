#include "train/lasting_buffers.h"

#include <map>

#include "singa/base/str_cat.h"

namespace singa {

std::vector<std::pair<std::string, Buffer*>> LastingBuffers(Trainer* trainer) {
  std::vector<std::pair<std::string, Buffer*>> all;
  std::map<std::string, int> copies;
  for (NetNode& node : trainer->net().nodes())
    for (Buffer& buffer : node.declare->buffers()) {
      if (buffer.keep != Keep::kForever) continue;
      const std::string name = "buffer/" + node.name + "/" + buffer.name;
      const int copy = copies[name]++;
      all.emplace_back(copy == 0 ? name : StrCat(name, "/", copy), &buffer);
    }
  return all;
}

}  // namespace singa
