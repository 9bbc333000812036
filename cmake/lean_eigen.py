#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Makes a copy of Eigen's headers cheaper for g++; the numbers they compute stay the same.

Each expression type of Eigen has own names for its scalars (Scalar, RealScalar ...). For g++ each
of them is one more variant of double. A const variant is looked for among all variants, so a file
with 600 expression types walks 8000 times through a list of up to 30 000. So members that every
expression type has take their scalars by value here, and need no const variant.

usage: lean_eigen.py FOLDER    (the folder that has Eigen/src)
"""

import pathlib
import re
import sys

SCALAR = (r"Scalar|RealScalar|typename\s+NumTraits<Scalar>::Real"
          r"|typename\s+(?:internal::traits<Derived>|(?:Dense|Matrix)Base(?:<Derived>)?)::(?:Real)?Scalar")
# A parameter that is a reference to a constant scalar, up to its name.
PARAMETER = re.compile(rf"\bconst\s+({SCALAR})\s*&\s*(?=\w+\s*(?:[,)]|=\s*(?:NumTraits|Scalar)))")
# Class and parameters of a member that is defined outside of its class.
MEMBER = re.compile(r"\b(?:Dense|Matrix|Array)Base<Derived>::(?:operator[^\w\s(]+|\w+)\s*"
                    r"\(([^{}();]|\([^()]*\))*\)")
# The scalar of an argument, in the type of an expression's functor.
FUNCTOR_ARGUMENT = re.compile(r"const typename (\w+::Scalar) *&")
COEFFICIENT = re.compile(r"const Scalar&,\s*typename internal::conditional<"
                         r"internal::is_arithmetic<Scalar>::value, Scalar, const Scalar>::type")
# One pair of types for each scalar, in place of one for each expression.
COEFFICIENT_TYPES = """namespace internal {
template<typename T> struct lean_constant {
  typedef const T& reference;
  typedef typename conditional<is_arithmetic<T>::value, T, const T>::type value;
};"""


def by_value(text):
    return PARAMETER.sub(r"\1 ", text)


def members_by_value(text):
    return MEMBER.sub(lambda member: by_value(member.group(0)), text)


def shared_coefficients(text):
    text, count = COEFFICIENT.subn(r"typename internal::lean_constant<Scalar>::reference, "
                                   r"typename internal::lean_constant<Scalar>::value", text)
    return text.replace("namespace internal {", COEFFICIENT_TYPES, 1) if count else text


def main():
    source = pathlib.Path(sys.argv[1]) / "Eigen" / "src"
    bases = {source / "Core" / f"{name}Base.h" for name in ("Dense", "Matrix", "Array")}
    plugins = set((source / "plugins").glob("*.h"))
    functors = {source / "Core" / f"Cwise{name}Op.h" for name in ("Unary", "Binary", "Ternary")}
    for path in sorted(source.rglob("*.h")):
        text = path.read_text(encoding="utf-8")
        lean = members_by_value(text)
        if path in bases | plugins:
            lean = by_value(lean)
        if path in functors:
            lean = FUNCTOR_ARGUMENT.sub(r"typename \1", lean)
        if path == source / "Core" / "AssignEvaluator.h":
            lean = lean.replace("const Scalar* dstDataPtr() const", "auto dstDataPtr() const")
        if path == source / "Core" / "DenseCoeffsBase.h":
            lean = shared_coefficients(lean)
        if lean != text:
            path.write_text(lean, encoding="utf-8")


if __name__ == "__main__":
    main()
