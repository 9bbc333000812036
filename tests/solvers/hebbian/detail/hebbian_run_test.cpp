// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/hebbian/detail/hebbian_run.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/x4.hpp>

namespace hebbian_run_test {

using namespace mercer;
using detail::GainSchedule;
using detail::HebbianRun;

namespace {

/// The algorithm as the papers write it, with A of r rows and all matrices formed.
struct Reference {
  Matrix<double> a, ak, b;
  Vector<double> rho;
  double t = 0;

  [[nodiscard]] Vector<double> gains(const GainSchedule& s) const {
    const double n = static_cast<double>(a.cols());
    const Vector<double> lambda = ak.rowwise().norm().cwiseQuotient(a.rowwise().norm());
    const Vector<double> ones = Vector<double>::Ones(a.rows());
    switch (s.gain) {
      case Gain::Constant:
        return s.step * ones;
      case Gain::InverseTime:
        return s.step * s.time / (t + s.time) * ones;
      case Gain::Et:
        return s.step * s.time / (t + s.time) * lambda.cwiseInverse();
      case Gain::EtStar:
      case Gain::Smd:
        return s.step * n / (t + n) * lambda.norm() * lambda.cwiseInverse();
    }
    return ones;
  }

  static Matrix<double> lower(const Matrix<double>& m) { return m.triangularView<Eigen::Lower>(); }

  void update(Index p, const Vector<double>& k, const GainSchedule& s) {
    const Vector<double> y = ak.col(p);
    const Matrix<double> lt = lower(y * y.transpose());
    Matrix<double> move = -lt * a;
    move.col(p) += y;
    const Matrix<double> move_k = y * k.transpose() - lt * ak;
    Vector<double> eta = gains(s);
    if (s.gain == Gain::Smd) {
      rho += s.meta_step * move_k.cwiseProduct(b).rowwise().sum();
      eta = eta.cwiseProduct(Vector<double>(rho.array().exp()));
      const Matrix<double> sum = a + s.meta_decay * b;
      const Vector<double> bk = b * k;
      Matrix<double> change = -lt * sum;
      change.col(p) += sum * k;
      change -= s.meta_decay * lower(bk * y.transpose() + y * bk.transpose()) * a;
      b = s.meta_decay * b + eta.asDiagonal() * change;
    }
    a += eta.asDiagonal() * move;
    ak += eta.asDiagonal() * move_k;
    t += 1;
  }
};

Matrix<double> centred_x4() {
  const Matrix<double> j = test::centering_matrix<double>(4);
  return j * gram(Gaussian(1.0), test::x4()) * j;
}

/// A after updates with these samples, from rows e_0 and e_1.
Matrix<double> worked_example(const GainSchedule& schedule, std::initializer_list<Index> indices) {
  const Matrix<double> k = centred_x4();
  HebbianRun<double> run(Matrix<double>::Identity(4, 2), k.leftCols(2), schedule);
  for (const Index p : indices) run.update(p, k.col(p));
  CHECK(run.updates() == static_cast<Index>(indices.size()));
  CHECK((k * run.coefficients() - run.products()).cwiseAbs().maxCoeff() <= 1e-15);
  return run.coefficients().transpose();
}

constexpr double printed = 1e-12;  // half a unit of the last printed digit, and rounding

}  // namespace

TEST_CASE("hebbian_run: the worked example X4", "[solvers]") {
  Matrix<double> expected(2, 4);
  const GainSchedule constant{.gain = Gain::Constant, .step = .05};
  expected << 1.012499996637, 0, 0, 0, .000875365019, .999938762430, 0, 0;
  CHECK((worked_example(constant, {0}) - expected).cwiseAbs().maxCoeff() <= printed);
  expected << 1.004985092945, .001758655859, -.011813698544, -.015092658890,  //
      -.004580081394, 1.004722121139, -.018118053181, -.001484552430;
  CHECK((worked_example(constant, {0, 1, 2, 3}) - expected).cwiseAbs().maxCoeff() <= printed);

  const GainSchedule et_star{.gain = Gain::EtStar, .step = .05};
  expected << 1.010078398241, .001818035567, -.010170087209, -.011230484596,  //
      -.004522340885, 1.007347156626, -.019293584223, -.001329041995;
  CHECK((worked_example(et_star, {0, 1, 2, 3}) - expected).cwiseAbs().maxCoeff() <= printed);

  const GainSchedule smd{.gain = Gain::Smd, .step = .05, .meta_step = .1, .meta_decay = .99};
  expected.row(0) << 1.010078109507, .001818036807, -.010170685976, -.011230956457;
  CHECK((worked_example(smd, {0, 1, 2, 3}) - expected).row(0).cwiseAbs().maxCoeff() <= printed);
}

TEST_CASE("hebbian_run: every gain does what the formulas say", "[solvers]") {
  const Gain gain = GENERATE(Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar, Gain::Smd);
  CAPTURE(to_string(gain));
  const Index n = 1100, r = 3;  // two blocks of rows
  const Matrix<double> f = normal_matrix<double>(n, 4, 1, "hebbian test") / 2;  // K = f f^T
  const Matrix<double> a = normal_matrix<double>(n, r, 2, "hebbian test") / 50;
  const Matrix<double> ak = f * (f.transpose() * a);
  // Steps for gains of about 0.1, with |y|^2 of about 1 and eigenvalues of about n / 4.
  const double step = gain == Gain::Et ? 30 : 0.05;
  const GainSchedule schedule{
      .gain = gain, .step = step, .time = 7, .meta_step = 0.5, .meta_decay = 0.9};
  HebbianRun<double> run(a, ak, schedule);
  Reference reference{a.transpose(), ak.transpose(), Matrix<double>::Zero(r, n),
                      Vector<double>::Zero(r)};
  for (const Index p : {5, 1024, 1099, 5, 1023, 0, 700}) {
    const Vector<double> column = f * f.row(p).transpose();
    run.update(p, column);
    reference.update(p, column, schedule);
  }
  REQUIRE_FALSE(run.diverged());
  constexpr double tolerance = 1e-12;  // rounding of 7 updates, relative to entries of A and A K
  CHECK((run.coefficients().transpose() - reference.a).norm() <= tolerance * reference.a.norm());
  CHECK((run.products().transpose() - reference.ak).norm() <= tolerance * reference.ak.norm());
  CHECK((reference.a - a.transpose()).norm() > 1e-2 * a.norm());  // it did move
  if (gain == Gain::Smd) {
    CHECK(reference.rho.cwiseAbs().minCoeff() > 1e-6);
    CHECK((run.derivative().transpose() - reference.b).norm() <= tolerance * reference.b.norm());
  }
}

TEST_CASE("hebbian_run: the number of threads does not matter", "[solvers]") {
  const Index n = 2500, r = 2;
  const Matrix<double> f = normal_matrix<double>(n, 3, 3, "hebbian test");
  const Matrix<double> a = normal_matrix<double>(n, r, 4, "hebbian test") / 50;
  const auto state = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    HebbianRun<double> run(a, f * (f.transpose() * a),
                           {.gain = Gain::Smd, .step = .01, .meta_step = .1});
    for (const Index p : {3, 2400, 1500, 9}) run.update(p, f * f.row(p).transpose());
    set_thread_count(before);
    return Matrix<double>(run.coefficients() + run.products() + run.derivative());
  };
  CHECK((state(1).array() == state(3).array()).all());
}

TEST_CASE("hebbian_run: updates that diverge are found before they do harm", "[solvers]") {
  const Matrix<double> k = centred_x4();
  HebbianRun<double> run(Matrix<double>::Identity(4, 2), k.leftCols(2),
                         {.gain = Gain::Constant, .step = 1e3});
  run.update(0, k.col(0));
  CHECK(run.diverged());
  CHECK(run.updates() == 0);
  CHECK(run.coefficients() == Matrix<double>(Matrix<double>::Identity(4, 2)));
  run.update(1, k.col(1));
  CHECK(run.updates() == 0);

  Matrix<double> broken = k.leftCols(2);
  broken(0, 1) = std::numeric_limits<double>::quiet_NaN();
  for (const Gain gain : {Gain::Constant, Gain::EtStar}) {
    HebbianRun<double> nan(Matrix<double>::Identity(4, 2), broken, {.gain = gain, .step = 0.1});
    nan.update(0, k.col(0));
    CHECK(nan.diverged());
  }
}

TEST_CASE("hebbian_run: components without variance have bounded gains", "[solvers]") {
  // The second row is in the null space, so its estimated eigenvalue is 0.
  Matrix<double> a = Matrix<double>::Zero(3, 2), ak = a;
  a(0, 0) = a(1, 1) = 1;
  ak(0, 0) = 2;
  const Gain gain = GENERATE(Gain::Et, Gain::EtStar, Gain::Smd);
  HebbianRun<double> run(a, ak, {.gain = gain, .step = .5, .time = 3, .meta_step = .1});
  run.update(0, Vector<double>::Unit(3, 0) * 2);
  CHECK_FALSE(run.diverged());
  CHECK(run.gains()(1) == 0.25);  // 1 / |y|^2
  CHECK(run.coefficients().allFinite());
  // Nothing of a sample whose column is zero is learnt.
  const Matrix<double> before = run.coefficients();
  run.update(2, Vector<double>::Zero(3));
  CHECK(run.coefficients() == before);
  CHECK(run.updates() == 2);
}

}  // namespace hebbian_run_test
