// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <tests/support/row_parts.hpp>

namespace row_space_test {

namespace {

using mercer::Index;
using mercer::InvalidArgument;
using mercer::Matrix;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::Vector;
using mercer::test::on_processes;
using mercer::test::process_counts;

}  // namespace

// Catch2 checks only on one thread, so what processes find is checked afterwards.

TEST_CASE("row space: all rows once, in ranges that begin at the edges of tiles", "[core][rows]") {
  for (const Index n : {1, 255, 256, 257, 1300})
    for (const Index count : process_counts) {
      const auto ranges = on_processes(count, n, RowSums::OrderFree, [&](const RowSpace& rows) {
        std::vector<Index> first;
        for (Index p = 0; p < count; ++p) first.push_back(rows.rows_of(p).begin);
        first.push_back(rows.first());
        first.push_back(rows.local());
        return first;
      });
      Index at = 0;
      for (std::size_t p = 0; p < ranges.size(); ++p) {
        const std::vector<Index>& found = ranges[p];
        const Index first = found[found.size() - 2];
        CHECK(first == at);
        CHECK((first % 256 == 0 || first == n));
        for (const auto& other : ranges) CHECK(other[p] == first);
        at += found.back();
      }
      CHECK(at == n);
    }
}

TEST_CASE("row space: what all take from process 0, its shape too", "[core][rows]") {
  const auto found = on_processes(3, 600, RowSums::OrderFree, [&](const RowSpace& rows) {
    const Index rank = rows.processes().rank();
    Matrix<double> a = Matrix<double>::Constant(2 + rank, 3, static_cast<double>(rank));
    rows.agree(a);
    Vector<double> v = Vector<double>::Constant(4 + rank, static_cast<double>(rank));
    rows.agree(v);
    auto value = static_cast<double>(rank);
    rows.agree(value);
    return a == Matrix<double>::Zero(2, 3) && v == Vector<double>::Zero(4) && value == 0 ? 1 : 0;
  });
  for (const int right : found) CHECK(right == 1);
}

TEST_CASE("row space: a vector of all rows everywhere", "[core][rows]") {
  const Index n = 700;
  const Vector<double> all = Vector<double>::LinSpaced(n, -1, 1);
  const auto found = on_processes(4, n, RowSums::OrderFree, [&](const RowSpace& rows) {
    return rows.everywhere(all.segment(rows.first(), rows.local()));
  });
  for (const Vector<double>& values : found) CHECK(values == all);
  CHECK(RowSpace::whole(n).everywhere(all) == all);
}

TEST_CASE("row space: the rows of a process, of a vector or matrix of all", "[core][rows]") {
  const Index n = 700;
  const Matrix<double> all = mercer::normal_matrix<double>(n, 3, 1, "x");
  const Vector<double> first = all.col(0);
  const auto found = on_processes(4, n, RowSums::OrderFree, [&](const RowSpace& rows) {
    return rows.own_of(all) == mercer::test::local_rows(rows, all) &&
                   rows.own_of(first) == mercer::test::local_rows(rows, first)
               ? 1
               : 0;
  });
  CHECK(found == std::vector<int>(4, 1));
  CHECK(RowSpace::whole(n).own_of(all) == all);
}

TEST_CASE("row space: a matrix of all rows everywhere; other rows on the same processes",
          "[core][rows]") {
  const Index n = 700, m = 300;
  const Matrix<float> all = mercer::normal_matrix<float>(m, 3, 1, "x");
  const auto found = on_processes(4, n, RowSums::OrderFree, [&](const RowSpace& rows) {
    const RowSpace other = rows.of_size(m);
    const bool alike = &other.processes() == &rows.processes() && other.order_free();
    return alike && other.total() == m ? other.everywhere(mercer::test::local_rows(other, all))
                                       : Matrix<float>();
  });
  for (const Matrix<float>& values : found) CHECK(values == all);
  CHECK_FALSE(RowSpace::whole(n).of_size(m).is_spread());
  CHECK(RowSpace::whole(n).of_size(m).total() == m);
}

TEST_CASE("row space: an error of one process is thrown on all", "[core][rows]") {
  const auto sentences = on_processes(3, 600, RowSums::OrderFree, [&](const RowSpace& rows) {
    const bool last = rows.processes().rank() == 2;
    const bool agreed = rows.any(last) && !rows.all(!last);
    try {
      rows.together([&] {
        if (rows.processes().rank() == 1) throw InvalidArgument("row 300 is wrong");
      });
    } catch (const InvalidArgument& error) {
      return agreed ? std::string(error.what()) : std::string();
    }
    return std::string();
  });
  for (const std::string& sentence : sentences) CHECK(sentence == "row 300 is wrong");
  CHECK_THROWS_AS(RowSpace::whole(1).together([] { throw std::runtime_error("here"); }),
                  std::runtime_error);
}

TEST_CASE("row space: an error in rows says which is the first of them", "[core][rows]") {
  const auto sentences =
      on_processes(3, 1000, RowSums::OrderFree, [&](const RowSpace& rows) -> std::string {
        try {
          rows.together_on_rows([&] {
            if (rows.processes().rank() == 1) throw InvalidArgument("row 44 is wrong");
          });
        } catch (const InvalidArgument& error) {
          return error.what();
        }
        return "no error";
      });
  for (const std::string& sentence : sentences)
    CHECK(sentence == "row 44 is wrong, in the rows from 256 on");
}

TEST_CASE("row space: where one process has no memory for all rows, all say so", "[core][rows]") {
  const auto ends = [](const auto& all) {
    return on_processes(3, 600, RowSums::OrderFree, [&](const RowSpace& rows) {
      using S = typename std::decay_t<decltype(all)>::Scalar;
      const auto fails_on_one = [&](S value) {
        if (rows.processes().rank() == 1) throw std::bad_alloc();
        return value;
      };
      bool told = false;
      try {
        static_cast<void>(
            rows.everywhere(all.middleRows(rows.first(), rows.local()).unaryExpr(fails_on_one)));
      } catch (const std::bad_alloc&) {
        told = true;
      }
      // No process is in another message than the others.
      Vector<double> again = Vector<double>::Constant(2, static_cast<double>(rows.first()));
      rows.agree(again);
      return told && again.isZero(0) ? 1 : 0;
    });
  };
  for (const int right : ends(mercer::normal_matrix<double>(600, 2, 1, "x"))) CHECK(right == 1);
  for (const int right : ends(mercer::normal_matrix<float>(600, 2, 1, "x"))) CHECK(right == 1);
}

}  // namespace row_space_test
