// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/parts.hpp>

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_moments.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/moments/feature_pca_moments.hpp>
#include <mercer/models/moments/nystrom_pca_moments.hpp>
#include <mercer/runtime/any_features.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

#include <examples/kpca/fit_results.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/interruption.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/kernel_code.hpp>
#include <examples/kpca/landmark_choice.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/outputs.hpp>
#include <examples/kpca/progress_bar.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/kpca/solver_code.hpp>
#include <examples/kpca/terminal.hpp>

namespace kpca {
namespace {

using mercer::AnyFeatures;
using mercer::AnyKernel;
using mercer::Index;
using mercer::io::Archive;
using mercer::io::printable;

template <mercer::Real S>
using OverFeatures = mercer::FeaturePcaMoments<AnyKernel, AnyFeatures, S>;
template <mercer::OwnedSamples X>
using OverLandmarks = mercer::NystromPcaMoments<AnyKernel, X>;

/// The form that rows of a file must have for these sums. Features take rows of any form.
template <class Moments>
inline constexpr bool takes_sparse_rows = false;
template <mercer::Real S>
inline constexpr bool takes_sparse_rows<OverLandmarks<mercer::SparseMatrix<S>>> = true;

/// Adds the rows of a file. Returns false if it was interrupted.
template <class Moments, mercer::Real S = typename Moments::Scalar>
[[nodiscard]] bool add_rows(const SampleFile<S>& file, const mercer::Observer& observer,
                            Moments& moments) {
  if (file.streamed_rows) {
    if constexpr (!takes_sparse_rows<Moments>) {
      mercer::io::NpyStream<S> stream(file.path);
      return moments.add(stream, observer);
    }
  }
  if constexpr (takes_sparse_rows<Moments>)
    return moments.add(in_form<mercer::SparseMatrix<S>>(file.samples), observer);
  else if constexpr (std::same_as<Moments, OverFeatures<S>>)
    return std::visit([&](const auto& rows) { return moments.add(rows, observer); }, file.samples);
  else
    return moments.add(in_form<mercer::Matrix<S>>(file.samples), observer);
}

/// Adds the rows of a file to sums over no rows, and writes these.
template <class Moments, mercer::Real S = typename Moments::Scalar>
[[nodiscard]] int write_sums(Moments moments, const SampleFile<S>& file, const Options& options) {
  require_writable(options.parts.out, "--partial-out");
  const Interruption interruption;
  const bool complete = [&] {
    ProgressBar progress;
    return in_context(file.path, [&] { return add_rows(file, progress.observer(), moments); });
  }();
  if (!complete) {
    std::fprintf(stderr, "kpca: interrupted; nothing is written\n");
    return exit_interrupted;
  }
  mercer::io::write_archive(options.parts.out, moments);
  if constexpr (requires { moments.features(); }) tell_of_features(options, moments.features());
  std::printf("%s: %lld rows of dimension %lld\nkernel %s%s\nthe sums are in %s\n",
              printable(file.path).c_str(), static_cast<long long>(moments.samples()),
              static_cast<long long>(file.columns()), moments.kernel().describe().c_str(),
              moments.centered() ? "" : " (not centred)", printable(options.parts.out).c_str());
  return exit_success;
}

// --- What a part is made of --------------------------------------------------------------------

/// The rows of INPUT: a sample of them if the file is to be read piece by piece.
/// \param dimension  for LIBSVM, whose rows do not say it; 0: that of the largest index
template <mercer::Real S>
[[nodiscard]] SampleFile<S> read_rows(const Options& options, bool stream, Index dimension = 0) {
  if (stream && is_streamable(options.input) && options.columns.is_all())
    return sample_of_file<S>(options.input, options.seed);
  SampleFile<S> file = with_column_advice(options.columns, column_advice, [&] {
    return read_sample_file<S>(options.input, dimension, options.columns);
  });
  tell_of_names(file);
  return file;
}

/// The bounds that a fit of these rows would take: those of its first batch.
template <mercer::Real S>
[[nodiscard]] mercer::SampleBounds first_bounds(const SampleFile<S>& file, Index batch) {
  if (file.streamed_rows) {
    mercer::io::NpyStream<S> stream(file.path);
    mercer::Matrix<S> rows((std::min)(batch, stream.rows()), stream.dimension());
    static_cast<void>(mercer::SampleStreamView<S>(stream).read(rows));
    return mercer::sample_bounds(rows);
  }
  return std::visit(
      [&]<class X>(const X& rows) {
        return mercer::sample_bounds(X(rows.topRows((std::min)(batch, rows.rows()))));
      },
      file.samples);
}

template <mercer::Real S>
[[nodiscard]] OverFeatures<S> features_as_asked(const Options& options, const AnyKernel& kernel,
                                                const SampleFile<S>& file) {
  const SolverChoice choice =
      make_solver(options.solver, {.kernel = kernel,
                                   .samples = file.rows(),
                                   .dimension = file.columns(),
                                   .seed = options.seed,
                                   .landmarks = [&](Index count) {
                                     return choose_landmarks(kernel, file, count, options.seed);
                                   }});
  const auto& solver = std::get<mercer::FeaturePca<AnyFeatures>>(
      std::get<mercer::AnyFeatureSolver>(choice.solver).choice());
  return in_context(file.path, [&] {
    return OverFeatures<S>(kernel, solver, first_bounds(file, solver.params().batch),
                           options.centered);
  });
}

/// Of a file of landmarks, or chosen among the rows.
template <mercer::OwnedSamples X>
[[nodiscard]] X landmarks_as_asked(const Options& options, const AnyKernel& kernel,
                                   const SampleFile<typename X::Scalar>& file) {
  using S = typename X::Scalar;
  constexpr Index by_default = 200;
  if (!options.parts.landmarks.empty()) {
    const SampleFile<S> landmarks = read_sample_file<S>(options.parts.landmarks, file.columns(),
                                                        options.columns_of_new_samples(),
                                                        file.indices_from_zero.value_or(false));
    require_same_columns(landmarks, file);
    return in_form<X>(landmarks.samples);
  }
  const X rows = in_form<X>(file.samples);
  const Index count =
      options.solver.whole("landmarks").value_or((std::min)(by_default, rows.rows()));
  if (count > rows.rows())
    throw mercer::InvalidArgument("--landmarks: " + std::to_string(count) + " is more than the " +
                                  std::to_string(rows.rows()) + " rows " +
                                  (file.streamed_rows ? "in memory of " : "of ") + file.path);
  return in_context(file.path, [&] {
    return mercer::landmark_features(mercer::RpCholesky{}, kernel, rows, count, options.seed)
        .landmarks();
  });
}

template <mercer::Real S>
[[nodiscard]] int write_as_asked(const Options& options) {
  const SampleFile<S> file = read_rows<S>(options, true);
  const AnyKernel kernel = in_context("--kernel " + options.kernel.name, [&] {
                             return make_kernel<S>(options.kernel, file, options.seed);
                           }).kernel;
  if (options.solver.name == "features")
    return write_sums(features_as_asked(options, kernel, file), file, options);
  return std::visit(
      [&]<class X>(const X&) {
        const X landmarks = landmarks_as_asked<X>(options, kernel, file);
        const std::string& from =
            options.parts.landmarks.empty() ? file.path : options.parts.landmarks;
        return write_sums(
            in_context(from, [&] { return OverLandmarks<X>(kernel, landmarks, options.centered); }),
            file, options);
      },
      file.samples);
}

// --- Parts in files ----------------------------------------------------------------------------

constexpr std::string_view features_type = "feature-pca-moments",
                           landmarks_type = "nystrom-pca-moments";

/// Calls \p use with the type of the sums in an archive.
template <class Use>
[[nodiscard]] int with_type(const std::string& path, const Archive& archive, const Use& use) {
  const mercer::io::ArchiveHeader& header = archive.header();
  const auto in_scalar = [&]<mercer::Real S>(std::type_identity<S>) -> int {
    if (header.type == features_type) return use(std::type_identity<OverFeatures<S>>());
    if (header.samples == "sparse")
      return use(std::type_identity<OverLandmarks<mercer::SparseMatrix<S>>>());
    return use(std::type_identity<OverLandmarks<mercer::Matrix<S>>>());
  };
  if (header.type != features_type && header.type != landmarks_type)
    throw mercer::InvalidArgument(path + ": holds no part of a fit, but a " + header.type +
                                  "; --partial-out makes parts");
  if (header.scalar != to_string(mercer::Precision::Single))
    return in_scalar(std::type_identity<double>());
#if defined(MERCER_DOUBLE_ALONE)
  throw mercer::InvalidArgument(path + ": the part is in single precision; " +
                                without_single_precision());
#else
  return in_scalar(std::type_identity<float>());
#endif
}

/// Sums over no rows, of the same things.
template <mercer::Real S>
[[nodiscard]] OverFeatures<S> without_rows(const OverFeatures<S>& part) {
  return OverFeatures<S>(part.kernel(), mercer::FeaturePca<AnyFeatures>(part.map(), part.params()),
                         part.bounds(), part.centered());
}
template <mercer::OwnedSamples X>
[[nodiscard]] OverLandmarks<X> without_rows(const OverLandmarks<X>& part) {
  mercer::detail::NystromSums<X> sums = part.parts();
  sums.trace = 0;
  sums.sums = {sums.points.rows(), part.centered()};
  return OverLandmarks<X>(part.kernel(), std::move(sums));
}

template <mercer::Real S>
[[nodiscard]] Index dimension_of(const OverFeatures<S>& part) {
  return part.bounds().dimension;
}
template <mercer::OwnedSamples X>
[[nodiscard]] Index dimension_of(const OverLandmarks<X>& part) {
  return part.parts().points.cols();
}

[[nodiscard]] int write_like(const Options& options) {
  const Archive archive(options.parts.like);
  return with_type(options.parts.like, archive, [&]<class Moments>(std::type_identity<Moments>) {
    using S = typename Moments::Scalar;
    Moments moments = without_rows(archive.get<Moments>());
    const SampleFile<S> rows =
        read_rows<S>(options, !takes_sparse_rows<Moments>, dimension_of(moments));
    return write_sums(std::move(moments), rows, options);
  });
}

[[noreturn]] void fail_given_twice(const std::string& first, const std::string& second) {
  throw mercer::InvalidArgument("PARTS: " + first + " is given twice" +
                                (first == second ? "" : ", the second time as " + second));
}

/// Throws if a file is given twice: its rows would count twice. Other names that it has beside its
/// path, as hard links, are found when it is read.
void require_different(const std::vector<std::string>& parts) {
  std::map<std::filesystem::path, std::string> known;  // the name given for each file
  for (const std::string& part : parts) {
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(part, error);
    if (error) continue;  // told when it is opened
    const auto& [first, fresh] = known.emplace(file, part);
    if (!fresh) fail_given_twice(first->second, part);
  }
}

/// Finds parts with equal contents. If they are one file, throws. Else tells of them: they may be
/// copies, whose rows count twice.
class EqualParts {
 public:
  void add(const std::string& path, const Archive& part) {
    const auto& [first, fresh] =
        known_.emplace(std::pair(part.checksum(), part.bytes().size()), path);
    if (fresh) return;
    const std::string& other = first->second;
    std::error_code error;
    if (std::filesystem::equivalent(other, path, error)) fail_given_twice(other, path);
    // What is no file may be gone, or wait for ever to be written again.
    const bool file = std::filesystem::is_regular_file(other, error);
    if (file && mercer::io::read_file(other) != part.bytes()) return;
    std::fprintf(stderr,
                 "kpca: %s has the same contents as %s; if it is a copy, its rows count twice\n",
                 mercer::io::printable(path).c_str(), mercer::io::printable(other).c_str());
  }

 private:
  std::map<std::pair<std::uint64_t, std::size_t>, std::string> known_;
};

/// In what the second of two parts differs from the first, with its values in the same order as the
/// files in the message.
[[nodiscard]] std::string describe(const mercer::MomentMismatch& mismatch) {
  std::string text;
  for (const auto& [name, there, here] : mismatch.differences())
    text += (text.empty() ? "" : "; ") + name + " " + there + " and " + here;
  if (text.empty()) text = "their features or landmarks differ";
  return text + "; --partial-like makes parts alike";
}

/// The sums over all parts, whose first one is in the archive.
template <class Moments>
[[nodiscard]] Moments merged(const Archive& first, const std::vector<std::string>& paths) {
  Moments all = first.get<Moments>();
  EqualParts equal;
  equal.add(paths[0], first);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto in_both = [&](const std::string& problem) {
      return mercer::InvalidArgument(paths[i] + " and " + paths[0] +
                                     " are of different fits: " + problem);
    };
    const Archive archive(paths[i]);
    const mercer::io::ArchiveHeader &there = archive.header(), &here = first.header();
    if (there.type != here.type) throw in_both("one is a " + there.type + ", one a " + here.type);
    if (there.scalar != here.scalar || there.samples != here.samples)
      throw in_both("their samples are " + there.scalar + " " + there.samples + " and " +
                    here.scalar + " " + here.samples);
    const Moments part = archive.get<Moments>();
    try {
      all.merge(part);
    } catch (const mercer::MomentMismatch& mismatch) {
      throw in_both(describe(mismatch));
    }
    equal.add(paths[i], archive);
  }
  return all;
}

// --- The results of all rows -------------------------------------------------------------------

template <mercer::Real S>
[[nodiscard]] Index most_components(const OverFeatures<S>& all) {
  return (std::min)(all.samples(), all.features());
}
template <mercer::OwnedSamples X>
[[nodiscard]] Index most_components(const OverLandmarks<X>& all) {
  return all.most_components();
}

template <class Moments>
[[nodiscard]] auto results_of_parts(const Moments& all, const Options& options) {
  constexpr Index by_default = 10;
  const auto begin = std::chrono::steady_clock::now();
  const mercer::Components components =
      options.components.value_or(mercer::Components((std::min)(by_default, most_components(all))));
  const auto model = in_context(options.components ? "--components" : "merge",
                                [&] { return all.model(components); });
  auto results = results_of(model);
  if (!options.save.empty() && model.components() > 0) {
    mercer::io::write_archive(options.save, model);
    results.saved_to = options.save;
  }
  if constexpr (requires { all.features(); }) results.features = all.features();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  results.report.fit_seconds = elapsed.count();
  return results;
}

template <class Moments>
[[nodiscard]] int write_results(const Moments& all, const std::string& kernel,
                                const Options& options) {
  const Outputs outputs(options);
  outputs.prepare();
  const auto results = results_of_parts(all, options);
  const mercer::Report& report = results.report;
  if (results.eigenvalues.size() == 0 && succeeded(report.status))
    throw mercer::InvalidArgument("merge: no component of the " + std::to_string(all.samples()) +
                                  " rows has variance");
  outputs.write_merged(results, kernel, options);
  const std::size_t parts = options.parts.merged.size();
  std::printf("%zu part%s: %lld samples of dimension %lld\nkernel %s%s\nsolver %s: %s\n\n", parts,
              parts == 1 ? "" : "s", static_cast<long long>(report.samples),
              static_cast<long long>(report.dimension), printable(report.kernel).c_str(),
              results.centered ? "" : " (not centred)", describe_solver(report).c_str(),
              report.reason.c_str());
  print_components(results, options.components.has_value());
  std::printf("written to %s\n", printable(outputs.list(false)).c_str());
  if (!results.saved_to.empty())
    std::printf("the model is in %s\n", printable(results.saved_to).c_str());
  if (succeeded(report.status)) return exit_success;
  SolverOptions told = options.solver;
  told.name = solver_name(report);
  std::fprintf(stderr, "kpca: %s\n", shortfall(results, told).c_str());
  return exit_not_converged;
}

}  // namespace

int write_part(const Options& options) {
  if (!options.parts.like.empty()) return write_like(options);
#if !defined(MERCER_DOUBLE_ALONE)
  if (options.single_precision) return write_as_asked<float>(options);
#endif
  return write_as_asked<double>(options);
}

int merge_parts(const Options& options) {
  const std::vector<std::string>& paths = options.parts.merged;
  require_different(paths);
  // Before the parts are read.
  if (options.parts.out.empty())
    Outputs(options).prepare();
  else
    require_writable(options.parts.out, "--partial-out");
  const Archive first(paths.front());
  return with_type(paths.front(), first, [&]<class Moments>(std::type_identity<Moments>) {
    const Moments all = merged<Moments>(first, paths);
    if (options.parts.out.empty()) return write_results(all, first.header().kernel, options);
    mercer::io::write_archive(options.parts.out, all);
    std::printf("%zu parts: %lld rows\nthe sums are in %s\n", paths.size(),
                static_cast<long long>(all.samples()), printable(options.parts.out).c_str());
    return exit_success;
  });
}

}  // namespace kpca

#else

namespace kpca {

// Never called: parse_options() refuses --partial-out and merge.
int write_part(const Options&) {
  return exit_caller_error;
}
int merge_parts(const Options&) {
  return exit_caller_error;
}

}  // namespace kpca

#endif
