// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples that are not vectors: kernel PCA of words, from kernel values computed beforehand.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <mercer/mercer.hpp>

namespace {

/// The spectrum kernel: the inner product of letter pair counts, divided by the words' norms.
double spectrum(const std::string& a, const std::string& b) {
  const auto pairs = [](const std::string& word) {
    std::map<std::string, double> counts;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[word.substr(i, 2)];
    return counts;
  };
  const auto product = [](auto& left, auto& right) {
    double sum = 0;
    for (const auto& [pair, count] : left)
      if (const auto found = right.find(pair); found != right.end()) sum += count * found->second;
    return sum;
  };
  const auto x = pairs(a), y = pairs(b);
  return product(x, y) / std::sqrt(product(x, x) * product(y, y));
}

/// out(i, j) = k(rows_i, columns_j)
Eigen::MatrixXd values(const std::vector<std::string>& rows,
                       const std::vector<std::string>& columns) {
  Eigen::MatrixXd out(rows.size(), columns.size());
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j)
      out(i, j) = spectrum(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  return out;
}

void print(const std::vector<std::string>& words, const Eigen::MatrixXd& scores) {
  for (std::size_t i = 0; i < words.size(); ++i)
    std::printf("  %-12s %8.3f %8.3f\n", words[i].c_str(), scores(static_cast<Eigen::Index>(i), 0),
                scores(static_cast<Eigen::Index>(i), 1));
}

}  // namespace

int main() {
  const std::vector<std::string> words = {"nation",  "station",  "motion",  "notion",  "relation",
                                          "running", "singing",  "jumping", "sinking", "ringing",
                                          "bright",  "fighting", "light",   "night",   "sight"};
  const std::vector<std::string> new_words = {"option", "winning", "flight"};

  // fit takes the n x n Gram matrix instead of samples ...
  const mercer::KernelPca pca{mercer::Precomputed{}, mercer::Exact{}, {.components = 2}};
  const auto model = pca.fit(values(words, words));
  std::printf("words, and their scores on components 1 and 2 (%.0f %% of the variance)\n",
              100 * model.explained_variance_ratio().sum());
  print(words, model.training_scores());

  // ... and transform takes the kernel values between new and training samples.
  std::printf("new words\n");
  print(new_words, model.transform(values(new_words, words)));
}
