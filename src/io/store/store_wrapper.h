// StoreWrapper is the base class of stores that read another store. It passes on the other store's
// facts.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/store/store.h"

namespace singa {

// A wrapper that leaves out or adds records must override the functions that depend on indexes:
// size, Where, NameOf and Labels.
class StoreWrapper : public Store {
 public:
  explicit StoreWrapper(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  int64_t size() const override { return store_->size(); }
  const std::string& name() const override { return store_->name(); }
  std::string Where(int64_t index) const override { return store_->Where(index); }
  std::string NameOf(int64_t index) const override { return store_->NameOf(index); }
  std::vector<std::string> classes() const override { return store_->classes(); }
  std::vector<std::string> columns() const override { return store_->columns(); }
  LeftOut left_out() const override { return store_->left_out(); }
  LabelRange Labels() override { return store_->Labels(); }

 protected:
  Store& store() { return *store_; }
  const Store& store() const { return *store_; }

 private:
  const std::unique_ptr<Store> store_;
};

}  // namespace singa
