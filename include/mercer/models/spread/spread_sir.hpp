// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel sliced inverse regression of samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_SIR_HPP
#define MERCER_MODELS_SPREAD_SPREAD_SIR_HPP

#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/detail/view_basis.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/spread/spread_basis.hpp>
#include <mercer/models/spread/spread_pca.hpp>

namespace mercer {

namespace detail {

/// Fits over processes. A friend of KernelSir.
struct SpreadSir {
  template <Kernel K, class S, OwnedSamples X, Real T>
  [[nodiscard]] static auto fit(const KernelSir<K, S>& sir, const SpreadRows<X>& samples,
                                const SpreadRows<Matrix<T>>& responses, const Observer& observer) {
    using Sir = KernelSir<K, S>;
    const FitClock clock;
    const RowSpace& rows = samples.rows();
    const Index n = rows.total();
    require_same(rows.processes(), "settings of " + std::string(Sir::who), words_of(sir.params()));
    rows.together([&] {
      sir.check();
      require_components(Sir::who, sir.params().components, sir.params().rank, n);
    });
    require_spread_samples(Sir::who, sir.kernel(), samples);
    // All processes take the same response, and find the same faults in it.
    const Matrix<T> values = responses.rows().everywhere(responses.local());
    const auto span = sir.span_of(sir.take(values, n), {rows.first(), rows.local()});

    // Processors of several kinds might find another rank.
    require_same(rows.processes(), "ranks of the responses", to_text(span.columns.cols()));
    const KernelPca pca{sir.kernel(), sir.solver(), sir.basis_request().for_samples(n).for_pca()};
    static_assert(
        requires { spread_basis(pca, samples, observer); },
        "mercer::fit_spread: kernel sliced inverse regression over processes needs Nystrom or "
        "FeaturePca");
    auto found = spread_basis(pca, samples, observer);
    Matrix<double> cross = inner(rows, found.scores, span.columns);
    Vector<double> means = column_means(rows, found.scores);
    rows.agree(cross);
    rows.agree(means);
    return sir.from_basis(ViewBasis(std::move(found.model), std::move(means)), cross,
                          span.centered_rank, n, clock);
  }

 private:
  [[nodiscard]] static std::string words_of(const KernelSirParams& params) {
    const std::optional<double>& ridge = params.regularization;
    std::string words = "components " + to_text(params.components);
    words.append(", rank ").append(describe_components(params.rank));
    words.append(", regularization ").append(ridge ? to_text(*ridge) : "by default");
    words.append(", target ").append(to_text(static_cast<int>(params.target)));
    words.append(", slices ").append(to_text(params.slices));
    return words;
  }
};

}  // namespace detail

/// Kernel sliced inverse regression of samples whose rows are in several processes. The solver is
/// Nystrom or FeaturePca. The result is an ordinary model, the same on all processes if their
/// processors have the same instructions. With order-free sums it has the same bits on any number
/// of them.
///
/// It is that of the same samples in one process, up to rounding, and up to signs: the coefficient
/// of largest absolute value of each function is positive, as in fits to streams.
/// \param responses  numbers, in the rows of their samples; so Automatic never means Classes
/// Cost: that of a fit of kernel PCA over processes, and O(n r c / P) for a basis of rank r and c
///   slices or outputs.
/// Memory: n c / P numbers; all n responses on each process, several outputs about four times; and
///   what the fit of kernel PCA holds.
/// Throws InvalidArgument, on all processes, in the cases of KernelSir::fit(), and if processes
///   have different kernels or settings. Collective.
template <Kernel K, class S, OwnedSamples X, Real T>
[[nodiscard]] auto fit_spread(const KernelSir<K, S>& sir, const SpreadRows<X>& samples,
                              const SpreadRows<Matrix<T>>& responses,
                              const Observer& observer = {}) {
  return detail::SpreadSir::fit(sir, samples, responses, observer);
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_SIR_HPP
