#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/command_line.hpp"
#include "support/raw_http.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::test {

/// The second field of `name,value` lines after a header, by the first.
inline std::map<std::string, std::string> lines_of(const std::filesystem::path& file) {
  std::map<std::string, std::string> found;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) found[line.substr(0, line.find(','))] = line.substr(line.find(',') + 1);
  return found;
}

inline std::string bytes_of_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

/// A file that only its owner reads.
inline void write_secret(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

/// A campaign in a folder, and the collector as a process of its own.
class CollectorProcess {
 public:
  /// `store`: where the campaign is; empty: in a file in the folder.
  explicit CollectorProcess(std::string data, std::string store = "")
      : data_("--data " + data + ' '), name_(std::move(data)), store_(std::move(store)) {
    if (store_.empty()) store_ = "sqlite:" + file("c.db");
    write_secret(file("admin"), "the-administrators-token\n");
  }
  ~CollectorProcess() { stop(SIGKILL); }
  CollectorProcess(const CollectorProcess&) = delete;
  CollectorProcess& operator=(const CollectorProcess&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string store() const { return "--store '" + store_ + "' "; }
  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] const std::string& data_name() const { return name_; }
  CommandResult run(const std::string& command, const std::string& more = "") const {
    return run_ppgnn(command + ' ' + store() + more);
  }
  void must(const std::string& command, const std::string& more = "") const {
    const CommandResult result = run(command, more);
    ASSERT_EQ(result.status, 0) << command << '\n' << result.error;
  }

  /// Starts it and waits until it listens. `before`: what the shell does first, such as setting a limit.
  void serve(const std::string& more = "", const std::string& before = "") {
    std::filesystem::remove(file("url"));
    const std::string arguments = "serve " + store() + "--keys " + file("keys") + " --admin-token " + file("admin") +
                                  " --listen 127.0.0.1:0 --exempt 127.0.0.1 " +
                                  (more.find("--page") == std::string::npos ? "--page none " : "") +
                                  (more.find("--person-rate") == std::string::npos ? "--person-rate 0 " : "") + more +
                                  " >" + file("url") + " 2>>" + file("log");
    if (before.empty()) {
      process_ = start_ppgnn(arguments);
    } else {
      const std::string command = before + "; exec " + std::string(PPGNN_BINARY) + ' ' + arguments + " </dev/null";
      process_ = fork();
      if (process_ == 0) {
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
      }
    }
    for (int i = 0; i < 1000; ++i) {
      const std::string url = content_of(file("url"));
      if (url.ends_with('\n')) {
        url_ = url.substr(0, url.size() - 1);
        port_ = static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "the collector does not start: " << content_of(file("log"));
  }
  int stop(int signal) {
    if (process_ <= 0) return 0;
    const int status = finish_ppgnn(process_, signal);
    process_ = 0;
    return status;
  }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  TemporaryFolder folder_;
  std::string data_;
  std::string name_;
  std::string store_;
  std::string url_;
  std::uint16_t port_ = 0;
  pid_t process_ = 0;
};

}  // namespace ppgnn::test
