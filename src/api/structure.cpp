#include "api/structure.hpp"

#include "ppgnn/server/training.hpp"
#include "ppgnn/teach/structure.hpp"

namespace ppgnn::api {

campaign::Structure structure_of(const Data& data, std::uint64_t seed) {
  return [data, seed](const graph::Split& split) -> Result<teach::Beliefs> {
    const Result<server::Problem> problem = server::Problem::make(data.dataset());
    if (!problem) return problem.error();
    teach::StructureOptions options;
    options.training.seed = server::training_seed(seed, 0);
    return teach::structure_beliefs(*problem, split, options);
  };
}

}  // namespace ppgnn::api
