// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// All of mercer, but for what is chosen at run time: headers of runtime/ are included by
/// themselves, as they compile all kernels and solvers.

#ifndef MERCER_MERCER_HPP
#define MERCER_MERCER_HPP

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/streams/standardized_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/estimators/entry_sampling.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/features/additive_features.hpp>
#include <mercer/features/arc_cosine_features.hpp>
#include <mercer/features/chi_square_features.hpp>
#include <mercer/features/default_features.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/fastfood.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/features/monomial_features.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/orthogonal_fourier.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_laplace.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/features/tensor_sketch.hpp>
#include <mercer/io/csv.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/io/libsvm.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/samples.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/metrics/amari_error.hpp>
#include <mercer/metrics/approximation_errors.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/metrics/captured_variance.hpp>
#include <mercer/metrics/gram_error.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <mercer/models/bandwidth_choice.hpp>
#include <mercer/models/component_gradients.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_ica.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/models/latent/latent_mixture.hpp>
#include <mercer/models/moments/feature_pca_moments.hpp>
#include <mercer/models/moments/nystrom_pca_moments.hpp>
#include <mercer/models/multiview_cca.hpp>
#include <mercer/models/online_kernel_pca.hpp>
#include <mercer/models/preimage/preimage_kwok_tsang.hpp>
#include <mercer/models/spectral/spectral_clustering.hpp>
#include <mercer/models/spectral/spectral_embedding.hpp>
#include <mercer/models/standardized_model.hpp>
#include <mercer/solvers/cross_iteration.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/hebbian/online_hebbian.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>
#include <mercer/solvers/online_pca/incremental_svd.hpp>
#include <mercer/solvers/online_pca/matrix_exponentiated_gradient.hpp>
#include <mercer/solvers/online_pca/matrix_stochastic_gradient.hpp>
#include <mercer/solvers/sparse/sparse_likelihood.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <mercer/version.hpp>

#endif  // MERCER_MERCER_HPP
