// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <ios>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace archive_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

/// A kernel of a user's.
class Quadratic {
 public:
  explicit Quadratic(double weight)
      : weight_(detail::require_positive("Quadratic", "weight", weight)) {}
  [[nodiscard]] double weight() const { return weight_; }

  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    out = weight_ * (x * y.transpose()).array().square();
  }

 private:
  double weight_;
};

/// What a run that is to go on later might leave behind: every kind of part there is.
struct State {
  RandomFourier map;
  SampleBounds bounds;
  std::uint64_t seed = 0;
  bool centered = false;
  float step = 0;
  std::vector<Index> order;
  std::vector<std::string> notes;
  Matrix<float> coefficients;
  std::shared_ptr<const Vector<double>> mean;
  std::variant<Gaussian, Laplacian> kernel = Gaussian(1);
};

/// What a model over landmarks is made of, unchecked: an archive of it is one of a model that
/// nobody fitted.
struct Forged {
  AdditiveChiSquare kernel;
  Matrix<double> points;
  Report report;
};

}  // namespace

}  // namespace archive_test

template <>
struct mercer::io::ArchiveTraits<archive_test::Forged> {
  static constexpr std::string_view name = "kernel-pca";
  static auto parts(const archive_test::Forged& forged) {
    const Index m = forged.points.rows();
    const Vector<double> none(0);
    return std::tuple(forged.kernel, std::make_shared<const Matrix<double>>(forged.points), false,
                      none, Matrix<double>(m, 0), none, Vector<double>(m), 0.0,
                      std::shared_ptr<const Matrix<double>>(), true, forged.report);
  }
};

template <>
struct mercer::io::ArchiveTraits<archive_test::Quadratic> {
  static constexpr std::string_view name = "quadratic";
  static auto parts(const archive_test::Quadratic& kernel) { return std::tuple(kernel.weight()); }
};

template <>
struct mercer::io::ArchiveTraits<archive_test::State> {
  static constexpr std::string_view name = "state";
  static auto parts(const archive_test::State& s) {
    return std::tie(s.map, s.bounds, s.seed, s.centered, s.step, s.order, s.notes, s.coefficients,
                    s.mean, s.kernel);
  }
};

namespace archive_test {

namespace {

/// The same bits: 0 and -0 differ, and a NaN equals itself.
template <class A>
[[nodiscard]] bool same_bits(const A& a, const A& b) {
  if constexpr (SparseSamples<A>)
    return a.nonZeros() == b.nonZeros() && same_bits(a.toDense().eval(), b.toDense().eval());
  else
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           std::string_view(reinterpret_cast<const char*>(a.data()),
                            static_cast<std::size_t>(a.size()) * sizeof(typename A::Scalar)) ==
               std::string_view(reinterpret_cast<const char*>(b.data()),
                                static_cast<std::size_t>(b.size()) * sizeof(typename A::Scalar));
}

/// Writes a model, reads it back, and compares all that it says. Returns the header.
template <class K, class X>
io::ArchiveHeader check_round_trip(const KernelPcaModel<K, X>& model, const X& queries) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("a.model");
  io::write_archive(path, model);
  const io::Archive archive(path);
  const auto again = archive.get<KernelPcaModel<K, X>>();
  CAPTURE(archive.header().kernel, archive.header().scalar, archive.header().samples);
  CHECK(archive.header().type == "kernel-pca");
  CHECK(archive.header().features.empty());
  CHECK(archive.header().mercer_version == MERCER_VERSION_STRING);
  CHECK(same_bits(again.points(), model.points()));
  CHECK(same_bits(again.eigenvalues(), model.eigenvalues()));
  CHECK(same_bits(again.explained_variance(), model.explained_variance()));
  CHECK(same_bits(again.explained_variance_ratio(), model.explained_variance_ratio()));
  CHECK(same_bits(again.training_scores(), model.training_scores()));
  CHECK(same_bits(again.transform(queries), model.transform(queries)));
  CHECK(again.report().kernel == model.report().kernel);
  CHECK(again.report().residuals == model.report().residuals);
  CHECK(again.centered() == model.centered());
  if constexpr (!std::same_as<K, Precomputed>) {
    CHECK(same_bits(again.novelty(queries).t_squared, model.novelty(queries).t_squared));
    CHECK(same_bits(again.novelty(queries).spe, model.novelty(queries).spe));
  }
  return archive.header();
}

template <class X, class K>
void check_kernel_round_trip(const K& kernel, const std::string& name) {
  using S = typename X::Scalar;
  // Positive and short, for every kernel's domain.
  const Matrix<S> x = test::uniform_samples<S>(12, 3, 1, 0, .5);
  const X samples = detail::to_owned<X>(x), queries = detail::to_owned<X>(x.topRows(5) / 2);
  const auto header =
      check_round_trip(KernelPca{kernel, Exact{}, {.components = 3}}.fit(samples), queries);
  CHECK(header.kernel == name);
  CHECK(header.scalar == (sizeof(S) == 4 ? "single" : "double"));
  CHECK(header.samples == (SparseSamples<X> ? "sparse" : "dense"));
}

/// An archive of a small model.
std::string small_archive(const test::TemporaryDirectory& directory) {
  const std::string path = directory.path("small.model");
  io::write_archive(path, KernelPca{Gaussian(.5), Exact{}, {.components = 2}}.fit(
                              test::uniform_samples<double>(4, 2, 3)));
  return path;
}

/// What reading the bytes as a model of this kernel and these samples throws.
template <class T>
std::string error_of_bytes(const test::TemporaryDirectory& directory, std::string_view bytes) {
  const std::string path = directory.file("damaged.model", bytes);
  return test::file_error([&] { return io::read_archive<T>(path); });
}

/// Content with a preamble that fits it, though no writer made it.
std::string archive_of(const std::string& content) {
  detail::ArchiveWriter preamble;
  preamble.write(detail::archive_version);
  preamble.write(std::uint64_t{detail::crc32(content)});
  preamble.write(std::uint64_t{content.size()});
  return std::string(detail::archive_magic) + std::move(preamble).take() + content;
}

}  // namespace

TEST_CASE("archive: the bytes of a value", "[io]") {
  // Files outlive programs: if this fails, the format has changed, and archive_version must too.
  using namespace std::string_literals;
  detail::ArchiveWriter writer;
  writer.write(Gaussian(.5));
  writer.write(std::vector<Index>{-2});
  writer.write(Matrix<float>(Matrix<float>::Ones(1, 2)));
  const std::string one = "\1\0\0\0\0\0\0\0"s, two = "\2\0\0\0\0\0\0\0"s;
  const std::string little_endian = "\1"s;
  const std::string kernel = "\x8\0\0\0\0\0\0\0gaussian\0\0\0\0\0\0\xe0\x3f"s;
  const std::string vector = one + "\xfe\xff\xff\xff\xff\xff\xff\xff"s;
  const std::string matrix =
      "\xc\0\0\0\0\0\0\0dense single"s + one + two + "\0\0\x80\x3f\0\0\x80\x3f"s;
  CHECK(std::move(writer).take() == little_endian + kernel + vector + matrix);
}

TEST_CASE("archive: a model of each kernel comes back with the same bits", "[io]") {
  using Dense = Matrix<double>;
  using SingleDense = Matrix<float>;
  using Sparse = SparseMatrix<double>;
  using SingleSparse = SparseMatrix<float>;
  // Parameters with digits that no short text has.
  const double a = 1.0 / 3, b = std::sqrt(2.0);
  check_kernel_round_trip<Dense>(Gaussian(a), "gaussian");
  check_kernel_round_trip<SingleDense>(RationalQuadratic({.alpha = b, .length = a}),
                                       "rational-quadratic");
  check_kernel_round_trip<Sparse>(Matern({.nu = 2.5, .length = b}), "matern");
  check_kernel_round_trip<SingleDense>(Laplacian(b), "laplacian");
  check_kernel_round_trip<Dense>(Cauchy(b), "cauchy");
  check_kernel_round_trip<SingleSparse>(Linear{}, "linear");
  check_kernel_round_trip<Sparse>(Polynomial({.gamma = a, .coef0 = b, .degree = 4}), "polynomial");
  check_kernel_round_trip<Dense>(Sigmoid({.gamma = -a, .coef0 = b}), "sigmoid");
  check_kernel_round_trip<SingleDense>(ExponentialDot(a), "exponential-dot");
  check_kernel_round_trip<SingleSparse>(InverseDot(a), "inverse-dot");
  check_kernel_round_trip<Dense>(ExponentialSemigroup(b), "exponential-semigroup");
  check_kernel_round_trip<Dense>(ReciprocalSemigroup(b), "reciprocal-semigroup");
  check_kernel_round_trip<SingleDense>(AdditiveChiSquare{}, "additive-chi-square");
  check_kernel_round_trip<Dense>(ChiSquare(b), "chi-square");
  check_kernel_round_trip<SingleDense>(Intersection{}, "intersection");
  check_kernel_round_trip<Sparse>(Cosine{}, "cosine");
  check_kernel_round_trip<Dense>(ArcCosine(2), "arc-cosine");
  check_kernel_round_trip<Dense>(Quadratic(b), "quadratic");
  check_kernel_round_trip<Dense>(b * (Gaussian(b) + Linear{} * Polynomial{}),
                                 "scaled(sum(gaussian, product(linear, polynomial)))");
}

SCALAR_TEST_CASE("archive: precomputed values, landmarks, models not centred", "[io]") {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(30, 3, 5), q = test::uniform_samples<S>(7, 3, 6);
  check_round_trip(KernelPca{Precomputed{}, Exact{}, {.components = 3}}.fit(gram(Gaussian(1), x)),
                   gram(Gaussian(1), q, x));
  check_round_trip(KernelPca{Gaussian(1), Exact{}, {.centered = false}}.fit(x), q);
  const auto model = KernelPca{Gaussian(1), Nystrom{Uniform{}, {.landmarks = 9}}}.fit(x);
  REQUIRE(model.points().rows() == 9);
  check_round_trip(model, q);
  // Without any variance there are no components.
  const Matrix<S> constant = Matrix<S>::Ones(5, 3);
  check_round_trip(KernelPca{Gaussian(1), Exact{}}.fit(constant), q);
}

TEST_CASE("archive: pre-images and the report come back", "[io]") {
  const test::TemporaryDirectory directory;
  const Matrix<double> x = test::uniform_samples<double>(30, 2, 7);
  auto parts = KernelPca{Gaussian(.8), Exact{}, {.components = 3}}.fit(x).parts();
  Report& report = parts.report;
  report.status = Status::NotConverged;
  report.details = SpgdDetails{.lambda = 0.5, .ranks = {3, 1, 2}};
  report.trace = -0.0;
  report.bytes = ~std::size_t{0};
  const KernelPcaModel model(parts);
  io::write_archive(directory.path("m"), model);
  const auto again = io::read_archive<std::remove_const_t<decltype(model)>>(directory.path("m"));
  const Matrix<double> scores = model.transform(x);
  CHECK(same_bits(again.inverse_transform(scores), model.inverse_transform(scores)));
  CHECK(again.report().status == Status::NotConverged);
  CHECK(again.report().solver == report.solver);
  CHECK(again.report().precision == report.precision);
  CHECK(again.report().storage == report.storage);
  CHECK(again.report().reason == report.reason);
  CHECK(again.report().samples == 30);
  CHECK(again.report().components_requested == 3);
  CHECK(std::get<SpgdDetails>(again.report().details).ranks == std::vector<Index>{3, 1, 2});
  CHECK(std::signbit(again.report().trace));
  CHECK(again.report().fit_seconds == report.fit_seconds);
  CHECK(again.report().phases.empty());
  CHECK(again.report().bytes == report.bytes);
}

TEST_CASE("archive: a sparse matrix that is not compressed", "[io]") {
  const test::TemporaryDirectory directory;
  SparseMatrix<double> x(4, 5);
  x.reserve(Eigen::VectorXi::Constant(4, 3));
  x.insert(0, 4) = 1;
  x.insert(0, 1) = 2;
  x.insert(3, 2) = 3;
  x.insert(3, 0) = 0;  // stored though it is zero
  REQUIRE(!x.isCompressed());
  auto parts = KernelPca{Linear{}, Exact{}, {.components = 1}}.fit(x).parts();
  parts.points = std::make_shared<const SparseMatrix<double>>(x);
  const KernelPcaModel model(parts);
  check_round_trip(model, x);
}

TEST_CASE("archive: types of a user's, with every kind of part", "[io]") {
  const test::TemporaryDirectory directory;
  const State state{.map = {.features = 7, .form = FourierForm::Phase},
                    .bounds = {.dimension = 3, .radius = .1},
                    .seed = ~std::uint64_t{0},
                    .centered = true,
                    .step = .1F,
                    .order = {-1, 5},
                    .notes = {"", "two words"},
                    .coefficients = test::uniform_samples<float>(3, 2, 9),
                    .mean = std::make_shared<const Vector<double>>(Vector<double>::Ones(3)),
                    .kernel = Laplacian(.1)};
  io::write_archive(directory.path("state"), state);
  const io::Archive archive(directory.path("state"));
  CHECK(archive.header().type == "state(random-fourier, laplacian)");
  CHECK(archive.header().kernel.empty());
  const State again = archive.get<State>();
  CHECK(again.map.features == 7);
  CHECK(again.map.form == FourierForm::Phase);
  CHECK(again.bounds.dimension == 3);
  CHECK(again.bounds.radius == .1);
  CHECK(again.seed == state.seed);
  CHECK(again.centered);
  CHECK(again.step == .1F);
  CHECK(again.order == state.order);
  CHECK(again.notes == state.notes);
  CHECK(same_bits(again.coefficients, state.coefficients));
  CHECK(same_bits(*again.mean, *state.mean));
  CHECK(std::get<Laplacian>(again.kernel).gamma() == .1);

  io::write_archive(directory.path("empty"), State{});
  CHECK(io::read_archive<State>(directory.path("empty")).mean == nullptr);

  io::write_archive(directory.path("map"),
                    RandomMaclaurin{.features = 5, .law = DegreeLaw::Geometric});
  const auto map = io::read_archive<RandomMaclaurin>(directory.path("map"));
  CHECK(map.features == 5);
  CHECK(map.law == DegreeLaw::Geometric);
}

TEST_CASE("archive: an archive of something else", "[io]") {
  const test::TemporaryDirectory directory;
  const io::Archive archive(small_archive(directory));
  const auto error = [&]<class T>(std::type_identity<T>) {
    return test::file_error([&] { return archive.get<T>(); });
  };
  using Dense = Matrix<double>;
  const auto kernel = error(std::type_identity<KernelPcaModel<Polynomial, Dense>>());
  CHECK_THAT(kernel, StartsWith(directory.path("small.model") + ": "));
  CHECK_THAT(kernel, ContainsSubstring("holds 'gaussian' where 'polynomial'"));
  CHECK_THAT(error(std::type_identity<KernelPcaModel<Sum<Gaussian, Linear>, Dense>>()),
             ContainsSubstring("holds 'gaussian' where 'sum'"));
  CHECK_THAT(error(std::type_identity<KernelPcaModel<Gaussian, Matrix<float>>>()),
             ContainsSubstring("holds 'dense double' where 'dense single'"));
  CHECK_THAT(error(std::type_identity<KernelPcaModel<Gaussian, SparseMatrix<double>>>()),
             ContainsSubstring("holds 'dense double' where 'sparse double'"));
  CHECK_THAT(error(std::type_identity<RandomFourier>()),
             ContainsSubstring("holds 'kernel-pca' where 'random-fourier'"));

  io::write_archive(directory.path("linear"), Linear{});
  CHECK_THAT(test::file_error([&] {
               return io::read_archive<std::variant<Gaussian, Laplacian>>(directory.path("linear"));
             }),
             ContainsSubstring("'linear'") && ContainsSubstring("'gaussian' 'laplacian'"));
}

TEST_CASE("archive: truncated at any byte, any byte changed, too long", "[io]") {
  using Model = KernelPcaModel<Gaussian, Matrix<double>>;
  const test::TemporaryDirectory directory;
  const std::string path = small_archive(directory);
  const std::string whole = test::content_of(path);
  const auto error = [&](std::string_view bytes) {
    return error_of_bytes<Model>(directory, bytes);
  };
  REQUIRE(error(whole) == "no error");
  REQUIRE(whole.size() < 2000);
  const std::string where = directory.path("damaged.model") + ": ";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_THAT(error(whole.substr(0, size)),
               StartsWith(where + (size == 0 ? "is not" : "truncated")));
  }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {1, 128, 255}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(change));
      CAPTURE(at, change);
      CHECK_THAT(error(bytes), StartsWith(where));
    }
  CHECK_THAT(error(whole + '\0'), ContainsSubstring("too long"));

  std::string newer = whole;
  newer[detail::archive_magic.size() + 1] = 2;
  CHECK_THAT(error(newer), ContainsSubstring("version 2") && ContainsSubstring("version 1"));
  CHECK_THAT(error("1,2\n3,4\n"), ContainsSubstring("is not an archive of mercer"));
  CHECK_THAT(error(archive_of("")), ContainsSubstring("truncated"));
}

TEST_CASE("archive: content that no writer made, under a checksum that fits", "[io]") {
  using Model = KernelPcaModel<Gaussian, Matrix<double>>;
  const test::TemporaryDirectory directory;
  const std::string whole = test::content_of(small_archive(directory));
  const std::string content = whole.substr(detail::archive_magic.size() + detail::archive_preamble);
  const auto error = [&](const std::string& bytes) {
    return error_of_bytes<Model>(directory, archive_of(bytes));
  };
  REQUIRE(error(content) == "no error");
  // Whatever is read, there is an answer: a model of other numbers, or this error. A size that is
  // believed would run out of memory here.
  const std::string where = directory.path("damaged.model") + ": ";
  int refused = 0;
  for (std::size_t at = 1; at < content.size(); ++at)
    for (const int value : {0, 1, 127, 255}) {
      std::string bytes = content;
      bytes[at] = static_cast<char>(value);
      const std::string message = error(bytes);
      CAPTURE(at, value, message);
      if (message == "no error") continue;
      CHECK_THAT(message, StartsWith(where));
      ++refused;
    }
  CHECK(refused > 500);
  for (std::size_t size = 1; size < content.size(); ++size)
    CHECK_THAT(error(content.substr(0, size)), ContainsSubstring("damaged"));
  CHECK_THAT(error(content + "x"), ContainsSubstring("1 bytes too many"));
}

TEST_CASE("archive: parts that cannot be", "[io]") {
  const test::TemporaryDirectory directory;
  const auto content = [](const auto&... values) {
    detail::ArchiveWriter writer;
    writer.write(io::ArchiveHeader{});
    (writer.write(values), ...);
    return std::move(writer).take();
  };
  const auto error = [&]<class T>(std::type_identity<T>, const std::string& bytes) {
    return error_of_bytes<T>(directory, archive_of(bytes));
  };
  CHECK_THAT(error(std::type_identity<Gaussian>(), content(std::string("gaussian"), -1.0)),
             ContainsSubstring("damaged") && ContainsSubstring("sigma must be positive"));
  CHECK_THAT(error(std::type_identity<RandomFourier>(),
                   content(std::string("random-fourier"), Index{5}, std::uint64_t{2})),
             ContainsSubstring("a value is 2 that must be below 2"));
  CHECK_THAT(
      error(std::type_identity<ArcCosine>(), content(std::string("arc-cosine"), Index{1} << 40)),
      ContainsSubstring("out of range"));

  // rows, columns, entries; starts of rows, columns, values.
  const auto sparse = [&](Index rows, Index cols, Index entries, const std::string& arrays) {
    return error(std::type_identity<SparseMatrix<double>>(),
                 content(std::string("sparse double"), rows, cols, entries) + arrays);
  };
  const auto ints = [](std::initializer_list<int> values) {
    std::string bytes;
    for (const int value : values)  // two's complement, the lowest byte first
      for (int shift = 0; shift < 32; shift += 8)
        bytes += static_cast<char>((static_cast<unsigned>(value) >> shift) & 255U);
    return bytes;
  };
  const std::string two(16, '\0');
  CHECK(sparse(2, 3, 2, ints({0, 1, 2, 0, 2}) + two) == "no error");
  for (const std::string& bad :
       {ints({1, 1, 2, 0, 2}), ints({0, 1, 1, 0, 2}), ints({0, 3, 2, 0, 2}), ints({0, -1, 2, 0, 2}),
        ints({0, 1, 2, 0, 3}), ints({0, 1, 2, -1, 2}), ints({0, 2, 2, 1, 1}),
        ints({0, 2, 2, 2, 1})})
    CHECK_THAT(sparse(2, 3, 2, bad + two), ContainsSubstring("out of order"));
  CHECK_THAT(sparse(-1, 3, 0, ""), ContainsSubstring("-1 rows"));
  CHECK_THAT(sparse(Index{1} << 31, 3, 0, ints({0})), ContainsSubstring("too large"));
  CHECK_THAT(sparse(1000000, 3, 0, ints({0})), ContainsSubstring("damaged"));
  CHECK_THAT(sparse(1, 3, 1000000, ints({0, 0})), ContainsSubstring("damaged"));

  // Sizes whose product overflows.
  CHECK_THAT(error(std::type_identity<Matrix<double>>(),
                   content(std::string("dense double"), Index{1} << 62, Index{1} << 62)),
             ContainsSubstring("bytes are left"));
  CHECK_THAT(error(std::type_identity<Vector<double>>(),
                   content(std::string("dense double"), Index{0}, Index{2})),
             ContainsSubstring("2 columns"));
}

TEST_CASE("archive: counts are checked before anything is read or made", "[io]") {
  const test::TemporaryDirectory directory;
  // A vector's elements take a byte each at least.
  detail::ArchiveWriter writer;
  writer.write(io::ArchiveHeader{});
  writer.write(std::uint64_t{1} << 60);
  CHECK_THAT(error_of_bytes<std::vector<std::vector<Index>>>(
                 directory, archive_of(std::move(writer).take() + std::string(4, '\0'))),
             ContainsSubstring("1152921504606846976 values of 1 bytes more and has 4 bytes"));

  // No points take no bytes, however many columns they have; checks of them would go through all.
  using Model = KernelPcaModel<AdditiveChiSquare, Matrix<double>>;
  constexpr Index claimed = Index{1} << 60;
  Report report;
  report.samples = 1;
  report.dimension = claimed;
  const Forged forged{.kernel = {}, .points = Matrix<double>(0, claimed), .report = report};
  io::write_archive(directory.path("wide.model"), forged);
  REQUIRE(std::filesystem::file_size(directory.path("wide.model")) < 1000);
  CHECK_THAT(
      test::file_error([&] { return io::read_archive<Model>(directory.path("wide.model")); }),
      ContainsSubstring("wide.model: the archive is damaged: ") &&
          ContainsSubstring("there are no points"));
}

TEST_CASE("archive: files that cannot be read or written", "[io]") {
  const test::TemporaryDirectory directory;
  CHECK_THAT(test::file_error([&] { io::write_archive(directory.path("no/file"), Linear{}); }),
             ContainsSubstring("no/file: cannot create"));
  CHECK_THAT(test::file_error([&] { return io::Archive(directory.path("missing")); }),
             ContainsSubstring("missing: cannot open"));
  io::write_archive(directory.path("kernel"), Linear{});
  io::write_archive(directory.path("kernel"), Cosine{});  // replaces it, and leaves nothing else
  CHECK(io::Archive(directory.path("kernel")).header().type == "cosine");
  CHECK(directory.entries() == 1);
}

TEST_CASE("archive: bytes and streams hold what files hold", "[io]") {
  const test::TemporaryDirectory directory;
  const KernelPca pca{Laplacian(0.5), Exact{}, {.components = 3}};
  const auto model = pca.fit(test::uniform_samples<double>(20, 4, 3));
  const std::string bytes = io::archive_bytes(model);
  io::write_archive(directory.path("a.model"), model);
  CHECK(io::read_file(directory.path("a.model")) == bytes);
  std::ostringstream out;
  io::write_archive(out, model);
  CHECK(out.str() == bytes);

  using Model = std::remove_const_t<decltype(model)>;
  const Matrix<double> queries = test::uniform_samples<double>(5, 4, 8),
                       scores = model.transform(queries);
  CHECK(same_bits(io::read_archive_bytes<Model>(bytes).transform(queries), scores));
  const io::Archive held = io::Archive::from_bytes(bytes);
  CHECK(held.header().kernel == "laplacian");
  CHECK(held.bytes() == bytes);
  CHECK(held.checksum() == io::Archive::from_bytes(bytes).checksum());
  CHECK(held.checksum() != io::Archive::from_bytes(io::archive_bytes(Cosine{})).checksum());

  // One archive after another, then something else.
  io::write_archive(out, Cosine{});
  out << "rest";
  std::istringstream in(out.str());
  CHECK(same_bits(io::read_archive<Model>(in).transform(queries), scores));
  CHECK(io::Archive(in).header().type == "cosine");
  std::string rest;
  in >> rest;
  CHECK(rest == "rest");
}

TEST_CASE("archive: bytes and streams that are no archives, or not whole", "[io]") {
  const std::string bytes = io::archive_bytes(Gaussian(2));
  const auto from_stream = [](const std::string& text) {
    return test::file_error([&] {
      std::istringstream in(text);
      return io::Archive(in, "pipe");
    });
  };
  const auto from_bytes = [](const std::string& text) {
    return test::file_error([&] { return io::Archive::from_bytes(text, "cell"); });
  };
  CHECK_THAT(from_stream(""), StartsWith("pipe: is not an archive"));
  CHECK_THAT(from_bytes(""), StartsWith("cell: is not an archive"));
  CHECK_THAT(from_stream("no archive, but long enough to be one"), ContainsSubstring("is not an"));
  CHECK_THAT(from_bytes(bytes + "x"), StartsWith("cell: too long"));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_THAT(from_stream(bytes.substr(0, size)), StartsWith("pipe: truncated"));
    CHECK_THAT(from_bytes(bytes.substr(0, size)), StartsWith("cell: truncated"));
  }
  std::string damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  CHECK_THAT(from_stream(damaged), ContainsSubstring("checksum"));
  // The size is the last number before the content. No memory is taken for what is not there.
  constexpr std::size_t size_at = 8 + 1 + 2 * 8;
  std::string huge = bytes;
  huge[size_at + 6] = '\x7f';
  CHECK_THAT(from_stream(huge), StartsWith("pipe: truncated: expected 35747322042253"));
  CHECK_THAT(test::file_error(
                 [] { return io::read_archive_bytes<Laplacian>(io::archive_bytes(Gaussian(2))); }),
             ContainsSubstring("bytes: holds 'gaussian' where 'laplacian' is asked for"));

  std::ostringstream full;
  full.setstate(std::ios::badbit);
  CHECK_THAT(test::file_error([&] { io::write_archive(full, Gaussian(2)); }),
             StartsWith("stream: cannot write"));
}

#endif  // defined(MERCER_HAS_CEREAL)

}  // namespace archive_test
