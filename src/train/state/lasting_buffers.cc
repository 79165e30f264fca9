#include "train/state/lasting_buffers.h"

#include <map>

#include "singa/base/str_cat.h"

namespace singa {

std::vector<LastingBuffer> LastingBuffers(WorkerModel* model) {
  std::vector<LastingBuffer> all;
  std::map<std::string, int> copies;
  for (NetNode& node : model->net().nodes())
    for (Buffer& buffer : node.declared().buffers) {
      if (buffer.keep != Keep::kForever) continue;
      const std::string name = "buffer/" + node.name + "/" + buffer.name;
      const int copy = copies[name]++;
      all.push_back(
          {copy == 0 ? name : StrCat(name, "/", copy), &buffer, node.ContextOf(model->ctx())});
    }
  return all;
}

}  // namespace singa
