#include "driver/command/like_file.h"

#include <map>
#include <utility>

#include "io/checkpoint/json_text.h"
#include "io/checkpoint/shape_fit.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

class FileLikeness {
 public:
  FileLikeness(const Safetensors& like, const ParamTable* net, MovedParams* mover)
      : like_(like), net_(net), mover_(*mover) {}

  // Pairs tensors and params by their names.
  void Match(std::vector<StoredTensor> params) {
    std::map<std::string, StoredTensor> left;
    for (StoredTensor& param : params) left.emplace(param.name, param);
    for (const StoredTensor& tensor : like_.tensors()) {
      const auto param = left.find(tensor.name);
      if (!IsFloating(tensor.type)) {
        tensors_.push_back(tensor);
      } else if (param == left.end()) {
        mover_.AddProblem(StrCat("no param becomes ", Quote(tensor.name), " of ", like_.file()));
      } else {
        places_.push_back(tensors_.size());
        shapes_.push_back({tensor.shape, param->second.shape, MayTurn(tensor.name)});
        tensors_.push_back(param->second);
        left.erase(param);
      }
    }
    for (const auto& [name, param] : left)
      mover_.AddProblem(StrCat("there is no ", Quote(name), " in ", like_.file()));
  }

  // Gives the params the shapes of their tensors.
  void Fit(std::vector<std::string>* turned) {
    const std::vector<ShapeFit> fits = FitsOf(shapes_);
    for (size_t i = 0; i < fits.size(); ++i) {
      StoredTensor& param = tensors_[places_[i]];
      if (fits[i] == ShapeFit::kNone) mover_.AddProblem(Misfit(param, shapes_[i].in_file));
      if (fits[i] == ShapeFit::kTransposed) {
        turned->push_back(param.name);
        param = mover_.Transposed(param);
      }
      param.shape = shapes_[i].in_file;
    }
  }

  std::vector<StoredTensor> tensors() { return std::move(tensors_); }

 private:
  bool MayTurn(const std::string& in_file) const {
    const std::string in_net = mover_.NameInNet(in_file);
    const Param* const param = net_ ? net_->Find(in_net) : nullptr;
    return param && param->transposed() && !mover_.IsTransposed(in_net);
  }

  std::string Misfit(const StoredTensor& param, const Shape& wanted) const {
    const Shape& own = param.shape;
    const bool turned = own.dims() == 2 && SameOrder(wanted, {own[1], own[0]});
    return StrCat("param ", Quote(param.name), " has the shape ", own.ToString(), " here, in ",
                  like_.file(), " ", wanted.ToString(),
                  turned && !net_ ? "; -conf JOB says which layers have transpose: true" : "");
  }

  const Safetensors& like_;
  const ParamTable* const net_;
  MovedParams& mover_;
  std::vector<StoredTensor> tensors_;
  std::vector<size_t> places_;  // of param i in tensors_
  std::vector<ParamShapes> shapes_;
};

}  // namespace

std::vector<StoredTensor> LikeFile(std::vector<StoredTensor> params, const Safetensors& like,
                                   const ParamTable* net, MovedParams* mover,
                                   std::vector<std::string>* turned) {
  FileLikeness file(like, net, mover);
  file.Match(std::move(params));
  file.Fit(turned);
  return file.tensors();
}

}  // namespace singa
