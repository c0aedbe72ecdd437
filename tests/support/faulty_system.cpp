// The operating system with faults, for a process that knows nothing of it: tests/support/faults.hpp.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <ctime>

#include "support/faults.hpp"

namespace {

using ppgnn::test::Faults;

Faults* faults() {
  static Faults* const mapped = []() -> Faults* {
    const char* path = std::getenv(ppgnn::test::kFaultsVariable);
    const int file = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* at = ::mmap(nullptr, sizeof(Faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return at == MAP_FAILED ? nullptr : static_cast<Faults*>(at);
  }();
  return mapped;
}

// Files, but not what the process says.
bool is_file(int descriptor) {
  struct stat status {};
  return descriptor > 2 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool fails(int descriptor, std::atomic<int> Faults::*kind) {
  Faults* const now = faults();
  const int error = now == nullptr ? 0 : (now->*kind).load();
  if (error == 0 || !is_file(descriptor)) return false;
  ++now->failed;
  errno = error;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::int64_t jump() {
  Faults* const now = faults();
  if (now == nullptr) return 0;
  ++now->told;
  return now->clock_jump;
}

}  // namespace

// Each stands for the function of its name, for as long as its fault lasts. SQLite calls those with 64 where there are two.
#define PPGNN_FAULTY(result, name, parameters, arguments, kind)            \
  extern "C" result name parameters {                                      \
    static auto* const real = next<result parameters>(#name);              \
    return fails(descriptor, &Faults::kind) ? result{-1} : real arguments; \
  }

PPGNN_FAULTY(ssize_t, write, (int descriptor, const void* from, std::size_t size), (descriptor, from, size),
             write_error)
PPGNN_FAULTY(ssize_t, pwrite, (int descriptor, const void* from, std::size_t size, off_t at),
             (descriptor, from, size, at), write_error)
PPGNN_FAULTY(ssize_t, pwrite64, (int descriptor, const void* from, std::size_t size, off64_t at),
             (descriptor, from, size, at), write_error)
PPGNN_FAULTY(int, ftruncate, (int descriptor, off_t size) noexcept, (descriptor, size), write_error)
PPGNN_FAULTY(int, ftruncate64, (int descriptor, off64_t size) noexcept, (descriptor, size), write_error)
PPGNN_FAULTY(int, fallocate, (int descriptor, int mode, off_t at, off_t size), (descriptor, mode, at, size),
             write_error)
PPGNN_FAULTY(int, fallocate64, (int descriptor, int mode, off64_t at, off64_t size), (descriptor, mode, at, size),
             write_error)
PPGNN_FAULTY(int, fsync, (int descriptor), (descriptor), sync_error)
PPGNN_FAULTY(int, fdatasync, (int descriptor), (descriptor), sync_error)

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
  return result;
}

extern "C" int gettimeofday(timeval* time, void* zone) noexcept {
  static auto* const real = next<int(timeval*, void*)>("gettimeofday");
  const int result = real(time, zone);
  if (result == 0) time->tv_sec += jump();
  return result;
}

extern "C" time_t time(time_t* out) noexcept {
  static auto* const real = next<time_t(time_t*)>("time");
  const time_t now = real(nullptr) + jump();
  if (out != nullptr) *out = now;
  return now;
}
