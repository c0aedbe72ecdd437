#pragma once

#include "ppgnn/collector/http_server.hpp"
#include "ppgnn/core/result.hpp"

namespace ppgnn::app {

/// Sockets that systemd opened and keeps open while this process is replaced by the next one (sd_listen_fds(3)): they take the place of
/// the addresses. One called admin is the administrator's.
///
/// Errors  invalid_argument for more than one of a kind.
[[nodiscard]] Result<void> take_handed_sockets(collector::ServerOptions& options);

}  // namespace ppgnn::app
