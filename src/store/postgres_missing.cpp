// Instead of the other files of this kind, where libpq was missing when this was built.
#include "store/open.hpp"

namespace ppgnn::store {

namespace {

Error missing() {
  return {ErrorCode::invalid_argument, "store: this program was built without PostgreSQL (libpq)"};
}

}  // namespace

Result<std::unique_ptr<Store>> open_postgres(const Where&, Opening) {
  return missing();
}
Result<std::vector<std::string>> list_postgres(const Where&) {
  return missing();
}

}  // namespace ppgnn::store
