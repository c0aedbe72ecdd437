// The collector where memory ends. What is caught ends one connection (collector/http_server.cpp); this is about what cannot be.
#include "serve_memory.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "command.hpp"

namespace ppgnn::app {

namespace {

std::atomic<const collector::Api*> serving = nullptr;

// Nothing here allocates.
void say_at_once(std::string_view text) noexcept {
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

bool is_want_of_memory() noexcept {
  if (!std::current_exception()) return false;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::system_error&) {  // a thread or a lock that could not be had
    return true;
  } catch (...) {
    return false;
  }
}

[[noreturn]] void end_process() noexcept {
  static std::atomic_flag ending;
  while (ending.test_and_set()) ::pause();  // another thread was here before
  if (!is_want_of_memory()) {
    say_at_once("ppgnn: an exception that nobody caught, a bug\n");
    std::abort();
  }
  say_at_once("ppgnn: out of memory: the collector ends; what was acknowledged is stored\n");
  constexpr int kMost = 500;
  const collector::Api* api = serving;
  for (int i = 0; i < kMost && api != nullptr && api->writing(); ++i) ::usleep(10'000);
  ::_exit(static_cast<int>(Status::memory));
}

}  // namespace

Result<void> has_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= kLeastAddressSpace) {
    return {};
  }
  return Error{ErrorCode::invalid_argument,
               fmt::format("address space is limited to {} MiB (ulimit -v); the collector needs at least {}",
                           limit.rlim_cur >> 20, kLeastAddressSpace >> 20)};
}

void end_without_memory(const collector::Api* api) noexcept {
  serving = api;
  std::set_terminate(end_process);
}

}  // namespace ppgnn::app
