# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# The optional parts of mercer: targets mercer::<name> that carry mercer::mercer together with one
# more library. This file serves the build and the installed package alike.
#
# To add a component: its name in the list, and one line of mercer_describe_component below it.

set(mercer_cmake_dir "${CMAKE_CURRENT_LIST_DIR}")  # of the Find modules

set(mercer_known_components
  archive blas boost_math compiled dual fast_float hdf5 mpi openmp slepc zlib)

# mercer_describe_component(<name> DEBIAN <packages> FIND <find_package names> LINK <targets>
#                           [DEFINE <macros>] [FILES <files of mercer that it needs>])
function(mercer_describe_component name)
  cmake_parse_arguments(PARSE_ARGV 1 component "" "" "DEBIAN;FIND;LINK;DEFINE;FILES")
  foreach(part IN ITEMS DEBIAN FIND LINK DEFINE FILES)
    set(mercer_${name}_${part} "${component_${part}}" PARENT_SCOPE)
  endforeach()
endfunction()

mercer_describe_component(archive DEBIAN libcereal-dev FIND cereal LINK cereal::cereal
  DEFINE MERCER_HAS_CEREAL)
# BLAS and LAPACKE through Eigen's own switches. When OpenMP is on, take the OpenMP flavour of
# OpenBLAS: the pthread flavour keeps threads of its own, which fight with ours for the cores.
mercer_describe_component(blas DEBIAN libopenblas-openmp-dev liblapacke-dev FIND BLAS LAPACKE
  LINK LAPACKE::LAPACKE BLAS::BLAS DEFINE EIGEN_USE_BLAS EIGEN_USE_LAPACKE)
# Matern kernels of any order, where the standard library (libc++) has no Bessel functions.
mercer_describe_component(boost_math DEBIAN libboost-dev FIND Boost LINK Boost::headers
  DEFINE MERCER_HAS_BOOST_MATH)
# The library of mercerCompiled.cmake. Its sources may be a package of their own.
mercer_describe_component(compiled DEBIAN libmercer-compiled-dev
  FILES "${mercer_cmake_dir}/mercerCompiled.cmake" "${mercer_cmake_dir}/compiled")
mercer_describe_component(dual DEBIAN liblbfgspp-dev FIND LBFGSpp LINK LBFGSpp::LBFGSpp
  DEFINE MERCER_HAS_LBFGSPP)
# For readers of numbers, where the standard library (libc++ before 20) has no such std::from_chars.
mercer_describe_component(fast_float DEBIAN libfast-float-dev FIND FastFloat
  LINK FastFloat::fast_float)
mercer_describe_component(hdf5 DEBIAN libhdf5-dev FIND Hdf5C LINK Hdf5C::Hdf5C
  DEFINE MERCER_HAS_HDF5)
# Rows over processes. The C++ bindings of old versions of MPI stay out.
mercer_describe_component(mpi DEBIAN libopenmpi-dev FIND MPI LINK MPI::MPI_CXX
  DEFINE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
mercer_describe_component(openmp DEBIAN libomp-dev FIND OpenMP LINK OpenMP::OpenMP_CXX)
# Eigensolvers of SLEPc. Its MPI must be the one that CMake finds.
mercer_describe_component(slepc DEBIAN libslepc-real-dev FIND MPI SLEPc
  LINK SLEPc::SLEPc MPI::MPI_CXX DEFINE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
mercer_describe_component(zlib DEBIAN zlib1g-dev FIND ZLIB LINK ZLIB::ZLIB DEFINE MERCER_HAS_ZLIB)

# Finds what component <name> needs. Sets mercer_missing to a sentence if that fails, to the empty
# string otherwise.
macro(mercer_find_component name)
  set(mercer_missing "")
  if("${name}" IN_LIST mercer_known_components)
    list(PREPEND CMAKE_MODULE_PATH "${mercer_cmake_dir}")
    cmake_policy(PUSH)
    if(POLICY CMP0167)  # from CMake 3.30 on: Boost comes with its own CMake package
      cmake_policy(SET CMP0167 NEW)
    endif()
    foreach(mercer_package IN LISTS mercer_${name}_FIND)
      find_package(${mercer_package} QUIET)
    endforeach()
    cmake_policy(POP)
    list(POP_FRONT CMAKE_MODULE_PATH)
    list(JOIN mercer_${name}_DEBIAN ", " mercer_packages)
    foreach(mercer_target IN LISTS mercer_${name}_LINK)
      if(NOT TARGET ${mercer_target})
        set(mercer_missing
            "component ${name} needs ${mercer_target} (Debian packages: ${mercer_packages})")
      endif()
    endforeach()
    foreach(mercer_file IN LISTS mercer_${name}_FILES)
      if(NOT EXISTS "${mercer_file}")
        set(mercer_missing
            "component ${name} needs ${mercer_file} (Debian packages: ${mercer_packages})")
      endif()
    endforeach()
  else()
    list(JOIN mercer_known_components ", " mercer_names)
    set(mercer_missing "no component ${name}: mercer has ${mercer_names}")
  endif()
endmacro()

# Makes <target>, an INTERFACE library, carry component <name>.
function(mercer_set_component target name)
  target_link_libraries(${target} INTERFACE mercer::mercer ${mercer_${name}_LINK})
  target_compile_definitions(${target} INTERFACE ${mercer_${name}_DEFINE})
endfunction()
