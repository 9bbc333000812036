// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The module mercer._mercer: what the classes in package/mercer are made of. It has no interface of
// its own that is kept.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mercer/core/suggestion.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/version.hpp>

#include <examples/python/src/batches.hpp>
#include <examples/python/src/choices.hpp>
#include <examples/python/src/features.hpp>
#include <examples/python/src/ica.hpp>
#include <examples/python/src/kernel_pca.hpp>
#include <examples/python/src/pair_models.hpp>
#include <examples/python/src/reports.hpp>

namespace mercer_python {
namespace {

/// From the dictionary that the classes hand over; a name that is not there is a KeyError.
class Given {
 public:
  explicit Given(py::dict values) : values_(std::move(values)) {}

  template <class T>
  [[nodiscard]] T get(const char* name) const {
    return py::object(values_[name]).cast<T>();
  }
  [[nodiscard]] Named named(const char* name) const {
    const py::tuple pair = get<py::tuple>(name);
    return named_of(pair[0].cast<std::string>(), pair[1].cast<py::dict>());
  }
  [[nodiscard]] FeatureOptions features() const {
    return {.map = get<std::string>("map"),
            .columns = get<mercer::Index>("columns"),
            .seed = get<std::uint64_t>("seed"),
            .threads = get<int>("threads")};
  }
  [[nodiscard]] FitOptions options(const char* components) const {
    return {.solver = named("solver"),
            .components = components_of(get<py::object>(components)),
            .centered = get<bool>("centered"),
            .memory_budget = get<std::size_t>("memory_budget"),
            .max_iterations = get<std::optional<mercer::Index>>("max_iterations"),
            .seed = get<std::uint64_t>("seed"),
            .threads = get<int>("threads"),
            .callback = get<py::object>("callback")};
  }

 private:
  py::dict values_;
};

template <class Model>
[[nodiscard]] auto pickled(std::unique_ptr<Model> (*load)(std::string, const std::string&)) {
  return py::pickle([](const Model& model) { return py::bytes(model.archive()); },
                    [load](const py::bytes& bytes) { return load(bytes, "a pickled model"); });
}

}  // namespace
}  // namespace mercer_python

PYBIND11_MODULE(_mercer, module) {
  using namespace mercer_python;
  module.attr("__version__") = MERCER_VERSION_STRING;

  py::class_<PcaModel>(module, "PcaModel")
      .def_property_readonly("eigenvalues", &PcaModel::eigenvalues)
      .def_property_readonly("training_scores", &PcaModel::training_scores)
      .def_property_readonly(
          "points",
          [](const py::object& self) { return self.cast<const PcaModel&>().points(self); })
      .def_property_readonly("kernel", &PcaModel::kernel)
      .def_property_readonly("over_landmarks", &PcaModel::over_landmarks)
      .def_property_readonly("report",
                             [](const PcaModel& model) { return to_dict(model.report()); })
      .def("transform", &PcaModel::transform)
      .def("kernel_values", &PcaModel::kernel_values)
      .def("preimage_error", &PcaModel::preimage_error)
      .def_property_readonly("centered", &PcaModel::centered)
      .def("save",
           [](const PcaModel& model, const std::string& path) {
             try {
               model.save(path);
             } catch (const mercer::io::FileError& error) {
               PyErr_SetString(PyExc_OSError, error.what());
               throw py::error_already_set();
             }
           })
      .def(pickled<PcaModel>(&load_pca_model));
  py::class_<FeatureModel>(module, "FeatureModel")
      .def_property_readonly("columns", &FeatureModel::columns)
      .def_property_readonly("description", &FeatureModel::describe)
      .def("transform", &FeatureModel::transform)
      .def(py::pickle([](const FeatureModel& model) { return model.state(); }, &load_features));
  py::class_<BatchSums>(module, "BatchSums")
      .def_property_readonly("samples", &BatchSums::samples)
      .def_property_readonly("columns", &BatchSums::columns)
      .def_property_readonly("description", &BatchSums::describe)
      .def("plus", &BatchSums::plus)
      .def("model", [](const BatchSums& sums, const py::object& components,
                       int threads) { return sums.model(components_of(components), threads); })
      .def(pickled<BatchSums>(&load_sums));
  py::class_<PairModel>(module, "PairModel")
      .def_property_readonly("values", &PairModel::values)
      .def_property_readonly("dependence_ratio", &PairModel::dependence_ratio)
      .def_property_readonly("report",
                             [](const PairModel& model) { return to_dict(model.report()); })
      .def("transform", &PairModel::transform)
      .def(pickled<PairModel>(&load_pair_model));

  module.def("fit_pca", [](const py::object& samples, const py::dict& values) {
    const Given given(values);
    return fit_pca(samples, given.get<py::object>("weights"), given.named("kernel"),
                   given.options("components"));
  });
  module.def("fit_cca", [](const py::object& x, const py::object& y, const py::dict& values) {
    const Given given(values);
    return fit_cca(x, y, given.named("kernel"), given.named("kernel_y"),
                   {.fit = given.options("rank"),
                    .components = given.get<mercer::Index>("components"),
                    .regularization = given.get<std::optional<double>>("regularization"),
                    .regularization_y = given.get<std::optional<double>>("regularization_y"),
                    .holdout = given.get<double>("holdout")});
  });
  module.def("fit_svd", [](const py::object& x, const py::object& y, const py::dict& values) {
    const Given given(values);
    return fit_svd(x, y, given.named("kernel"), given.named("kernel_y"),
                   {.fit = given.options("rank"),
                    .components = given.get<mercer::Index>("components"),
                    .holdout = given.get<double>("holdout")});
  });
  module.def("fit_sir", [](const py::object& x, const py::object& y, const py::dict& values) {
    const Given given(values);
    return fit_sir(x, y, given.named("kernel"),
                   {.fit = given.options("rank"),
                    .components = given.get<mercer::Index>("components"),
                    .regularization = given.get<std::optional<double>>("regularization"),
                    .target = given.get<std::string>("target"),
                    .slices = given.get<mercer::Index>("slices")});
  });
  module.def("fit_features", [](const py::object& samples, const py::dict& values) {
    const Given given(values);
    return fit_features(samples, given.named("kernel"), given.features());
  });
  module.def("begin_sums", [](const py::object& samples, const py::dict& values) {
    const Given given(values);
    return begin_sums(samples, given.named("kernel"), given.features(),
                      given.get<bool>("centered"));
  });
  module.def("fit_ica", [](const py::object& samples, const py::dict& values) {
    const Given given(values);
    using mercer::IcaContrast;
    const bool kgv = given.get<std::string>("contrast") == "kgv";
    return fit_ica(samples,
                   {.params = {.contrast = kgv ? IcaContrast::Kgv : IcaContrast::Kcca,
                               .sigma = given.get<std::optional<double>>("sigma"),
                               .regularization = given.get<std::optional<double>>("regularization"),
                               .sweeps = given.get<mercer::Index>("sweeps"),
                               .sweep_tolerance = given.get<double>("sweep_tolerance")},
                    .threads = given.get<int>("threads"),
                    .callback = given.get<py::object>("callback")});
  });
  module.def("load_pca", [](const py::bytes& bytes, const std::string& name) {
    return load_pca_model(bytes, name);
  });
  module.def("feature_map_list", &feature_map_list);
  module.def("feature_map_name", &feature_map_name);
  module.def("kernel_list", &kernel_list);
  module.def("solver_list", &solver_list);
  module.def("response_solver_list", &response_solver_list);
  module.def("median_distance", &median_distance);
  module.def("kernel_name", &kernel_name);
  module.def("solver_name", &solver_name);
  module.def("response_solver_name", &response_solver_name);
  module.def("did_you_mean", &mercer::did_you_mean);
  module.def("core_count", &mercer::core_count);
  module.def("most_threads", &mercer::most_threads);
}
