#pragma once

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <optional>

/// What a piece of code executes, instruction by instruction.
namespace ppgnn::test {

struct Path {
  std::uint64_t instructions = 0;
  std::uint64_t places = 14695981039346656037u;  ///< a digest of where they lie, in their order (FNV-1a)

  bool operator==(const Path&) const = default;
};

inline std::optional<std::uint64_t> instruction_pointer(pid_t child) {
  user_regs_struct registers{};
  iovec where{&registers, sizeof(registers)};
  if (ptrace(PTRACE_GETREGSET, child, reinterpret_cast<void*>(NT_PRSTATUS), &where) != 0) return std::nullopt;
#if defined(__x86_64__)
  return registers.rip;
#elif defined(__aarch64__)
  return registers.pc;
#else
  return 0;  // the number of instructions alone
#endif
}

/// Runs `action` in a child process, one instruction at a time; nothing where the system allows no tracing. Children of one
/// process start with the same memory at the same addresses, so that paths can be compared. What is done at the first call only
/// (binding to a shared library) must have been done before.
template <class Action>
std::optional<Path> path_of(Action&& action) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    action();
    raise(SIGSTOP);
    _exit(0);
  }
  std::optional<Path> found;
  int status = 0;
  const auto stopped_by = [&](int signal) { return WIFSTOPPED(status) && WSTOPSIG(status) == signal; };
  if (waitpid(child, &status, 0) != child || !stopped_by(SIGSTOP)) return std::nullopt;  // it has ended
  Path path;
  while (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 && waitpid(child, &status, 0) == child) {
    if (stopped_by(SIGSTOP)) {
      found = path;
      break;
    }
    const auto at = stopped_by(SIGTRAP) ? instruction_pointer(child) : std::nullopt;
    if (!at) break;
    ++path.instructions;
    path.places = (path.places ^ *at) * 1099511628211u;
  }
  if (!WIFEXITED(status) && !WIFSIGNALED(status)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return found;
}

}  // namespace ppgnn::test
