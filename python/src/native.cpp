// ppgnn._native: the public headers of the library, one file per topic. The package around it is what people use.
#include "binding.hpp"
#include "ppgnn/core/version.hpp"

PYBIND11_MODULE(_native, module) {
  module.doc() = "The library; use the package ppgnn instead.";
  module.attr("__version__") = ppgnn::version();
  ppgnn::python::bind_data(module);
  ppgnn::python::bind_devices(module);
  ppgnn::python::bind_laboratory(module);
  ppgnn::python::bind_campaigns(module);
}
