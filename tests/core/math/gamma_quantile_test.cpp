// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/math/gamma_quantile.hpp>

#include <cmath>
#include <limits>

#include <tests/support/catch.hpp>

namespace gamma_quantile_test {

using namespace mercer;

TEST_CASE("GammaQuantile: closed forms", "[core]") {
  for (const double p : {1e-16, 1e-6, 0.01, 0.3, 0.5, 0.500001, 0.9, 1 - 1e-6, 1 - 0x1p-52}) {
    CAPTURE(p);
    CHECK(GammaQuantile(1)(p) == Approx(-std::log1p(-p)).epsilon(1e-12));
    // Half of a squared standard normal, |n| <= z with probability p.
    const double z = normal_quantile(p < 0.5 ? 0.5 + p / 2 : (1 - p) / 2);
    if (p > 1e-6) CHECK(GammaQuantile(0.5)(p) == Approx(z * z / 2).epsilon(1e-9));
  }
}

TEST_CASE("GammaQuantile: reference values", "[core]") {
  // From other implementations; the lower tails of the last shape by Simpson's rule.
  struct Reference {
    double shape, p, x;
  };
  for (const Reference& r : {Reference{0.001, 0.9, 9.8216596440688899e-47},
                             Reference{0.001, 0.999, 0.26477027023965088},
                             Reference{0.05, 1e-06, 5.8446320572865517e-121},
                             Reference{0.05, 0.1, 5.8446320572865053e-21},
                             Reference{0.05, 0.5, 5.5738784407462562e-07},
                             Reference{0.05, 0.9, 0.076317113909189049},
                             Reference{0.05, 0.999, 2.7364585987286745},
                             Reference{0.4, 1e-06, 7.4153546825639952e-16},
                             Reference{0.4, 0.1, 0.0023488772409990064},
                             Reference{0.4, 0.5, 0.14507814164343544},
                             Reference{0.4, 0.9, 1.1298428254726487},
                             Reference{0.4, 0.999, 5.042608588459963},
                             Reference{2.5, 1e-06, 0.0064480801032485435},
                             Reference{2.5, 0.1, 0.80515399348116135},
                             Reference{2.5, 0.5, 2.1757300955477632},
                             Reference{2.5, 0.9, 4.6181784498905616},
                             Reference{2.5, 0.999, 10.257502826216436},
                             Reference{40, 1e-06, 16.753150234308055},
                             Reference{40, 0.1, 32.138922234087573},
                             Reference{40, 0.5, 39.667165010689097},
                             Reference{40, 0.9, 48.289101807633507},
                             Reference{40, 0.999, 62.419612007882392},
                             Reference{392.0, 1e-06, 304.97591659714516},
                             Reference{392.0, 0.1, 366.8503199916272},
                             Reference{392.0, 0.5, 391.66671710413397},
                             Reference{392.0, 0.9, 417.5779069719801},
                             Reference{392.0, 0.999, 456.04338368716134},
                             Reference{5000, 1e-06, 4671.0509536164454},
                             Reference{5000, 0.1, 4909.59744092241},
                             Reference{5000, 0.5, 4999.666670617572},
                             Reference{5000, 0.9, 5090.830806915189},
                             Reference{5000, 0.999, 5221.3652827050892},
                             Reference{20000.0, 1e-06, 19334.947970800182},
                             Reference{20000.0, 0.1, 19818.976712720203},
                             Reference{20000.0, 0.5, 19999.666667654339},
                             Reference{20000.0, 0.9, 20181.451536446817},
                             Reference{20000.0, 0.999, 20439.876216629429},
                             Reference{10000000.0, 1e-06, 9984975.5502112},
                             Reference{10000000.0, 0.1, 9995947.5923453},
                             Reference{10000000.0, 0.5, 9999999.6666667},
                             Reference{10000000.0, 0.9, 10004052.8363648},
                             Reference{10000000.0, 0.999, 10009775.0225009}}) {
    CAPTURE(r.shape, r.p);
    CHECK(GammaQuantile(r.shape)(r.p) == Approx(r.x).epsilon(r.shape > 1e4 ? 2e-8 : 1e-11));
  }
}

TEST_CASE("GammaQuantile: increasing, positive and finite for every shape", "[core][law]") {
  for (const double shape : {1e-300, 1e-6, 0.02, 0.7, 1.0, 3.0, 400.0, 9999.0, 10001.0, 1e20}) {
    CAPTURE(shape);
    const GammaQuantile quantile(shape);
    double last = 0;
    for (const double p : {0x1p-53, 1e-9, 0.02, 0.4999, 0.5, 0.5001, 0.97, 1 - 1e-9, 1 - 0x1p-53}) {
      const double x = quantile(p);
      CHECK((x >= (std::numeric_limits<double>::min)() && std::isfinite(x)));
      CHECK(x >= last);
      last = x;
    }
  }
}

}  // namespace gamma_quantile_test
