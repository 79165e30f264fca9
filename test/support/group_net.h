// GroupNet is the workers of a group on one batch, each in its own thread, without a trainer. Tests
// compare their common results with one worker that has the whole batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/barrier.h"
#include "support/net_test.h"

namespace singa {

class GroupNet {
 public:
  using Pass = std::function<void(TestNet&)>;

  GroupNet(const std::string& text, int workers, NetOptions options = {})
      : barrier_(workers), numbers_(workers) {
    options.parts = workers;
    for (options.worker = 0; options.worker < workers; ++options.worker) {
      workers_.push_back(std::make_unique<TestNet>(text, options));
      sums_.push_back(std::make_unique<WorkerSum>(this, options.worker));
      if (workers > 1) workers_.back()->ctx.group = sums_.back().get();
    }
  }

  TestNet& operator[](size_t i) { return *workers_[i]; }
  size_t size() const { return workers_.size(); }

  // Runs one pass of every worker. Throws the error of the first worker that failed by itself, not
  // in a wait for another.
  void Step(int64_t step, const Pass& pass) {
    std::vector<std::exception_ptr> errors(size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < size(); ++i)
      threads.emplace_back([&, i] {
        try {
          workers_[i]->state.step = step;
          pass(*workers_[i]);
        } catch (const Stopped&) {
        } catch (...) {
          errors[i] = std::current_exception();
          barrier_.Stop();
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

  // Returns the rows of all workers as one batch, as they are stored: output `k` of node `node`.
  std::vector<float> Output(size_t node, size_t k) {
    std::vector<float> all;
    for (const auto& worker : workers_) {
      const Port& port = *worker->net.nodes()[node].out[k];
      Scatter(port.data, port.span, &all);
    }
    return all;
  }
  // Returns a kForever buffer of the whole batch if it has rows. Else it must be the same in all
  // workers.
  std::vector<float> Lasting(size_t node, size_t buffer) {
    std::vector<float> all;
    for (const auto& worker : workers_) {
      const Buffer& part = worker->net.nodes()[node].declared().buffers[buffer];
      if (part.span.rows > 0) {
        Scatter(part.tensor, part.span, &all);
        continue;
      }
      const std::vector<float> own(part.tensor.data(), part.tensor.data() + part.tensor.size());
      if (worker == workers_[0]) all = own;
      EXPECT_EQ(own, all) << part.name;
    }
    return all;
  }
  // Returns the sum of the workers' gradients.
  std::vector<float> Gradient(const std::string& param) {
    std::vector<float> sum = workers_[0]->Grad(param);
    for (size_t w = 1; w < size(); ++w) {
      const std::vector<float> own = workers_[w]->Grad(param);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += own[i];
    }
    return sum;
  }
  // Returns the sum and the weight over all workers.
  std::pair<double, double> TakeMetric(size_t node, size_t metric) {
    std::pair<double, double> sum;
    for (const auto& worker : workers_) {
      double* cell = worker->net.nodes()[node].declared().metrics[metric].cell.as<double>();
      sum.first += cell[0];
      sum.second += cell[1];
      cell[0] = cell[1] = 0;
    }
    return sum;
  }

 private:
  struct WorkerSum final : GroupSum {
    WorkerSum(GroupNet* owner, int number) : group(owner), worker(number) {}
    void Sum(std::span<double> values) override {
      group->numbers_[worker] = values;
      group->barrier_.Arrive();
      std::vector<double> sums(values.size());
      for (const std::span<double>& numbers : group->numbers_) {
        ASSERT_EQ(numbers.size(), sums.size()) << "workers add up different things";
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
      }
      group->barrier_.Arrive();
      std::copy(sums.begin(), sums.end(), values.begin());
    }
    GroupNet* const group;
    const int worker;
  };

  // Puts the rows of a worker into their places in the whole batch.
  static void Scatter(const Tensor& part, const RowSpan& span, std::vector<float>* all) {
    const int64_t rows = span.steps * span.rows, size = part.size() / rows;
    ASSERT_EQ(part.size(), rows * size);
    all->resize(span.steps * span.batch * size, NAN);
    RowSpan own = span;
    own.first_step = 0;
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(part.data() + r * size, size, all->data() + own.GlobalRow(r) * size);
  }

  Barrier barrier_;
  std::vector<std::span<double>> numbers_;  // of each worker, in Sum
  std::vector<std::unique_ptr<WorkerSum>> sums_;
  std::vector<std::unique_ptr<TestNet>> workers_;
};

inline void ExpectClose(const std::vector<float>& got, const std::vector<float>& want,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double scale = 1;
  for (float x : want) scale = std::max(scale, std::abs(double{x}));
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * scale) << what << "[" << i << "]";
}

// Expects that `steps` steps of `workers` workers equal those of one worker. Compares features (if
// the net keeps them), metrics, gradients and lasting buffers. Between two steps the params move by
// the gradients' sum.
inline void ExpectGroupIsOne(const std::string& text, int workers, const NetOptions& options,
                             const GroupNet::Pass& pass, int steps = 3) {
  GroupNet one(text, 1, options), group(text, workers, options);
  ASSERT_EQ(one[0].net.nodes().size(), group[0].net.nodes().size());
  constexpr double kTolerance = 2e-5;
  for (int step = 0; step < steps; ++step) {
    for (GroupNet* net : {&one, &group}) net->Step(step, pass);
    for (size_t i = 0; i < one[0].net.nodes().size(); ++i) {
      NetNode& node = one[0].net.nodes()[i];
      const std::string what = StrCat("step ", step, ", ", node.full_name);
      for (size_t k = 0; !options.reuse && k < node.out.size(); ++k)
        ExpectClose(group.Output(i, k), one.Output(i, k), kTolerance, what);
      for (size_t k = 0; k < node.declared().metrics.size(); ++k) {
        const auto got = group.TakeMetric(i, k), want = one.TakeMetric(i, k);
        EXPECT_NEAR(got.first, want.first, kTolerance * std::max(1., std::abs(want.first))) << what;
        EXPECT_EQ(got.second, want.second) << what;
      }
      for (size_t k = 0; k < node.declared().buffers.size(); ++k)
        if (node.declared().buffers[k].keep == Keep::kForever)
          ExpectClose(group.Lasting(i, k), one.Lasting(i, k), kTolerance, what + " lasting");
    }
    for (const auto& param : one[0].params.params()) {
      if (!param->trains()) {  // every worker has its own copy, with the same bits
        for (size_t w = 0; w < group.size(); ++w) {
          const Tensor &first = group[0].params.Find(param->name())->data,
                       &own = group[w].params.Find(param->name())->data;
          EXPECT_EQ(std::memcmp(first.data(), own.data(), own.bytes()), 0) << param->name();
        }
        continue;
      }
      const std::vector<float> got = group.Gradient(param->name()),
                               want = one.Gradient(param->name());
      ExpectClose(got, want, kTolerance, StrCat("step ", step, ", gradient of ", param->name()));
      const auto move = [&](TestNet& net, const std::vector<float>& gradient) {
        float* const w = net.params.Find(param->name())->data.data();
        for (size_t i = 0; i < gradient.size(); ++i) w[i] -= 0.1f * gradient[i];
      };
      move(one[0], want);
      for (size_t w = 0; w < group.size(); ++w) move(group[w], got);
    }
    if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
  }
}

}  // namespace singa
