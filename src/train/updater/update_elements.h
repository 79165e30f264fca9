// These types apply each update rule to one element, w, with its gradient and states. Their members
// are the numbers of a step, which Updater::Prepare writes. proto/updater.proto states the rules.
#pragma once

#include <cmath>

#include "tensor/kernel/host_device.h"

namespace singa {

// Every rule first clips the gradient, then adds that of the weight decay (0 for AdamW). NaN stays
// NaN.
struct GradientPrologue {
  float clip_low, clip_high, weight_decay;

  SINGA_HD float operator()(float g, float w) const {
    g = g < clip_low ? clip_low : g;
    g = g > clip_high ? clip_high : g;
    return g + weight_decay * w;
  }
};

// The decay of a running mean and its complement, rounded once.
struct Decay {
  Decay() = default;
  explicit Decay(float rate) : keep(rate), add(static_cast<float>(1 - double{rate})) {}
  SINGA_HD float operator()(float mean, float x) const { return keep * mean + add * x; }

  float keep = 0, add = 1;
};

struct alignas(8) SgdElement {
  GradientPrologue prologue;
  float lr, momentum;

  SINGA_HD void operator()(float g, float* w) const { *w -= lr * prologue(g, *w); }
  SINGA_HD void operator()(float g, float* w, float* h) const {
    *h = momentum * *h - lr * prologue(g, *w);
    *w += *h;
  }
};

// (1 + momentum) h' - momentum h = momentum h' + lr g.
struct alignas(8) NesterovElement {
  GradientPrologue prologue;
  float lr, momentum;

  SINGA_HD void operator()(float g, float* w, float* h) const {
    const float lr_g = lr * prologue(g, *w);
    *h = momentum * *h + lr_g;
    *w -= momentum * *h + lr_g;
  }
};

struct alignas(8) AdaGradElement {
  GradientPrologue prologue;
  float lr, delta;

  SINGA_HD void operator()(float g, float* w, float* h) const {
    const float x = prologue(g, *w);
    *h += x * x;
    *w -= lr * x / std::sqrt(*h + delta);
  }
};

struct alignas(8) RmsPropElement {
  GradientPrologue prologue;
  float lr;
  Decay rho;
  float delta;

  SINGA_HD void operator()(float g, float* w, float* h) const {
    const float x = prologue(g, *w);
    *h = rho(*h, x * x);
    *w -= lr * x / std::sqrt(*h + delta);
  }
};

struct alignas(8) AdaDeltaElement {
  GradientPrologue prologue;
  float lr;
  Decay rho;
  float delta;

  SINGA_HD void operator()(float g, float* w, float* h, float* u) const {
    const float x = prologue(g, *w);
    *h = rho(*h, x * x);
    const float t = x * std::sqrt((*u + delta) / (*h + delta));
    *u = rho(*u, t * t);
    *w -= lr * t;
  }
};

struct alignas(8) AdamElement {
  GradientPrologue prologue;
  float rate;        // lr / (1 - beta1^t)
  float root_scale;  // 1 / sqrt(1 - beta2^t)
  Decay beta1, beta2;
  float delta;

  SINGA_HD void operator()(float g, float* w, float* m, float* v) const {
    const float x = prologue(g, *w);
    *m = beta1(*m, x);
    *v = beta2(*v, x * x);
    *w -= rate * *m / (root_scale * std::sqrt(*v) + delta);
  }
};

// Adam that takes the weight decay from the value itself. The decay is not part of the gradient, so
// it is neither clipped nor part of m and v.
struct alignas(8) AdamWElement {
  AdamElement adam;  // its prologue adds no weight decay
  float decay;       // lr x weight_decay

  SINGA_HD void operator()(float g, float* w, float* m, float* v) const {
    *w -= decay * *w;
    adam(g, w, m, v);
  }
};

// Brings the average of a value closer to the new value: torch.optim.swa_utils' lerp.
struct alignas(8) AverageElement {
  float share;  // of the value in the new average

  SINGA_HD void operator()(float, const float* w, float* average) const {
    *average += share * (*w - *average);
  }
};

struct alignas(8) AdaMaxElement {
  GradientPrologue prologue;
  float rate;  // as in AdamElement
  Decay beta1;
  float beta2, delta;

  SINGA_HD void operator()(float g, float* w, float* m, float* u) const {
    const float x = prologue(g, *w);
    const float decayed = beta2 * *u, size = std::fabs(x);
    *m = beta1(*m, x);
    *u = decayed > size ? decayed : size;
    *w -= rate * *m / (*u + delta);
  }
};

}  // namespace singa
