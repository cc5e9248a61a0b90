// The training loop. It is told how a model's functions run: by static_path.hpp or runtime_path.hpp.
#pragma once

#include <chrono>
#include <cmath>

#include "batches.hpp"

namespace digits {

using weight_values = std::vector<std::vector<float>>;  // one vector for each weight of a model

inline constexpr std::uint64_t weight_seed = 1, shuffle_seed = 2;

// Matrices are uniform, of variance 1 / rows; vectors are 0.
template <class Model>
weight_values initial_weights() {
  random_numbers random(weight_seed);
  weight_values out;
  for (const tw::shape& s : Model::weights) {
    std::vector<float> w(static_cast<size_t>(s.elements()));
    const float limit = s.rank() == 2 ? std::sqrt(3.0f / static_cast<float>(s[0].bits)) : 0.0f;
    for (float& x : w) x = random.between(-limit, limit);
    out.push_back(w);
  }
  return out;
}

struct trained {
  weight_values weights;
  std::vector<int> predictions;  // for the test rows
  double loss = 0;               // the mean over the training rows
  double accuracy = 0;           // of the test rows
  double seconds = 0;            // of the steps, making their batches included
};

struct kernel_counts {
  size_t step = 0, loss = 0, predict = 0;
};

struct path_report {
  trained result;
  kernel_counts kernels;
};

// Path: step(batch) changes the weights; loss(batch) is a sum over the batch; predict(batch) gives a digit for each row.
template <class Path>
trained train(Path& path, const divided_dataset& data) {
  trained out;
  training_batches batches(data.train, shuffle_seed);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) path.step(batches.next());
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for_each_batch(data.train, [&](const batch& b, size_t, size_t) { out.loss += path.loss(b); });
  out.loss /= static_cast<double>(data.train.size());
  size_t right = 0;
  for_each_batch(data.test, [&](const batch& b, size_t first, size_t count) {
    const auto found = path.predict(b);
    for (size_t i = 0; i < count; ++i) {
      out.predictions.push_back(found[i]);
      right += found[i] == data.test.digits[first + i];
    }
  });
  out.accuracy = static_cast<double>(right) / static_cast<double>(data.test.size());
  out.weights = path.weights();
  return out;
}

}  // namespace digits
