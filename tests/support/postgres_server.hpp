#pragma once

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace ppgnn::test {

/// A PostgreSQL of a test's own, in a folder and on a socket of its own; it ends with the test. Root starts it as the user postgres, because initdb
/// refuses root.
class PostgresServer {
 public:
  /// One for all tests of a process, started when it is first asked for; nullptr where PostgreSQL is missing.
  static PostgresServer* shared() {
    static const std::unique_ptr<PostgresServer> one = missing().empty() ? std::make_unique<PostgresServer>() : nullptr;
    return one.get();
  }
  /// Why there is none; empty where there is.
  static std::string missing() {
    if (programs().empty()) return "PostgreSQL's server is missing (scripts/setup.sh test)";
    if (geteuid() == 0 && getpwnam("postgres") == nullptr) return "there is no user postgres, and initdb refuses root";
    return "";
  }

  /// `durable`: flushes to the disk, as the default of a server is.
  explicit PostgresServer(bool durable = false) : durable_(durable) {
    namespace fs = std::filesystem;
    if (geteuid() == 0) {
      const passwd* user = getpwnam("postgres");
      if (chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0) fail("chown");
    }
    const std::string data = (folder_ / "data").string();
    if (finish(start({programs() / "initdb", "-D", data, "-A", "trust", "-U", "owner", "-E", "UTF8", "--no-sync",
                      "--no-instructions", "--locale=C"})) != 0) {
      fail("initdb");
    }
    run();
  }
  ~PostgresServer() { stop(SIGQUIT); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Starts it and waits until it answers; after a kill, until it has recovered.
  void run() {
    process_ = start({programs() / "postgres", "-D", (folder_ / "data").string(), "-k", folder_.path().string(), "-c",
                      "listen_addresses=", "-c", std::string("fsync=") + (durable_ ? "on" : "off"), "-c",
                      "max_connections=200", "-c", "log_statement=none"});
    for (int i = 0; i < 600; ++i) {
      if (finish(start({programs() / "pg_isready", "-q", "-h", folder_.path().string()})) == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    fail("start");
  }
  /// SIGQUIT: at once, as a crash. SIGINT: in order.
  void stop(int signal) {
    if (process_ <= 0) return;
    kill(process_, signal);
    finish(process_);
    process_ = 0;
  }

  /// A new database: what follows `postgres:`.
  [[nodiscard]] std::string new_database() {
    const std::string name = "d" + std::to_string(++databases_);
    if (sql("postgres", "CREATE DATABASE " + name) != 0) fail("a database");
    return place(name);
  }
  [[nodiscard]] std::string place(const std::string& database, const std::string& user = "owner") const {
    return "host=" + folder_.path().string() + " dbname=" + database + " user=" + user;
  }
  /// psql's exit code.
  int sql(const std::string& database, const std::string& text, const std::string& user = "owner") const {
    return finish(start({programs() / "psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", folder_.path().string(), "-U",
                         user, "-d", database, "-c", text}));
  }
  int script(const std::string& database, const std::filesystem::path& file) const {
    return finish(start({programs() / "psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", folder_.path().string(), "-U",
                         "owner", "-d", database, "-f", file.string()}));
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("PostgreSQL: " + what + ": " + content_of(folder_ / "log"));
  }
  static std::filesystem::path programs() {
    std::error_code ignored;
    std::vector<std::filesystem::path> found;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      if (std::filesystem::exists(version.path() / "bin" / "initdb", ignored)) found.push_back(version.path() / "bin");
    }
    return found.empty() ? std::filesystem::path() : *std::max_element(found.begin(), found.end());
  }
  [[nodiscard]] pid_t start(const std::vector<std::string>& command) const {
    const std::string log = (folder_ / "log").string();
    std::vector<char*> arguments;
    for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    const passwd* user = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    const pid_t child = fork();
    if (child != 0) return child;
    if (user != nullptr && (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) {
      _exit(126);
    }
    prctl(PR_SET_PDEATHSIG, SIGQUIT);  // whatever ends the test ends it
    setpgid(0, 0);
    const int said = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    const int nothing = ::open("/dev/null", O_WRONLY);
    if (chdir("/") != 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0) _exit(125);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  TemporaryFolder folder_;
  bool durable_ = false;
  pid_t process_ = 0;
  std::atomic<int> databases_ = 0;
};

}  // namespace ppgnn::test
