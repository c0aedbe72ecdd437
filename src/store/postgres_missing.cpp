// Instead of the other files of this kind, where libpq was missing when this was built.
#include "store/open.hpp"

namespace ppgnn::store {

Result<std::unique_ptr<Store>> open_postgres(const std::string&, const std::string&, Opening) {
  return Error{ErrorCode::invalid_argument, "store: this program was built without PostgreSQL (libpq)"};
}

}  // namespace ppgnn::store
