#pragma once

#include "ppgnn/nn/backbones.hpp"

namespace ppgnn::nn {

// One a layer file; a row each in kBackbones (backbones.cpp).
LayerMaker make_gcn, make_sage, make_gat;

}  // namespace ppgnn::nn
