#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/fault_load.hpp"
#include "cli/rounds.hpp"
#include "support/faults.hpp"
#include "support/loop_disk.hpp"

namespace ppgnn::test {

/// One campaign on a disk of its own, with collectors, and everything a fault needs a hold of.
class FaultScene {
 public:
  FaultScene(std::string data, unsigned seed) : random_(seed), disk_(96), network_(data), other_(std::move(data)) {
    std::filesystem::create_symlink(path(), network_.file("c.db"));
    for (const char* file : {"c.db", "keys"}) std::filesystem::create_symlink(network_.file(file), other_.file(file));
    const std::string shared = network_.file("faults");
    std::ofstream(shared) << std::string(sizeof(Faults), '\0');
    const int file = ::open(shared.c_str(), O_RDWR | O_CLOEXEC);
    faults_ = static_cast<Faults*>(::mmap(nullptr, sizeof(Faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
  }
  ~FaultScene() { ::munmap(faults_, sizeof(Faults)); }
  FaultScene(const FaultScene&) = delete;
  FaultScene& operator=(const FaultScene&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return disk_.folder() / "campaign.db"; }
  [[nodiscard]] std::filesystem::path log() const { return path().string() + "-wal"; }
  [[nodiscard]] CollectorProcess& network() { return network_; }
  [[nodiscard]] CollectorProcess& other() { return other_; }
  [[nodiscard]] LoopDisk& disk() { return disk_; }
  [[nodiscard]] Faults& faults() { return *faults_; }

  [[nodiscard]] std::size_t below(std::size_t most) { return random_() % most; }
  [[nodiscard]] bool chance() { return below(2) == 0; }
  /// A moment of the load.
  void wait(std::size_t least, std::size_t most) {
    std::this_thread::sleep_for(std::chrono::milliseconds(least + below(most - least + 1)));
  }

  void serve(CollectorProcess& collector) const {
    collector.serve("", "export LD_PRELOAD=" + std::string(PPGNN_FAULTY_SYSTEM) + ' ' + std::string(kFaultsVariable) +
                            '=' + network_.file("faults"));
  }
  [[nodiscard]] static bool ended(const CollectorProcess& collector) {
    siginfo_t found{};
    return collector.process() <= 0 ||
           (::waitid(P_PID, static_cast<id_t>(collector.process()), &found, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            found.si_pid != 0);
  }
  /// Everything at an end, the power cut, the disk there again.
  void cut_power() {
    if (!disk_.there()) return;
    EXPECT_TRUE(disk_.cut());
    wait(0, 30);  // nothing that is said now may be an acknowledgement
    network_.stop(SIGKILL);
    other_.stop(SIGKILL);
    EXPECT_TRUE(disk_.restore());
  }
  void limit(__rlimit_resource resource, rlim_t now) const {
    const rlimit changed{now, RLIM_INFINITY};
    EXPECT_EQ(prlimit(network_.process(), resource, &changed, nullptr), 0);
  }

  /// Reports that are in a store, by name; nothing where it cannot be read.
  [[nodiscard]] static std::optional<std::map<std::string, std::string>> reports_in(const std::filesystem::path& file) {
    sqlite3* database = nullptr;
    sqlite3_stmt* read = nullptr;
    std::map<std::string, std::string> found;
    int code = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
    sqlite3_busy_timeout(database, 10'000);
    if (code == SQLITE_OK) {
      code =
          sqlite3_prepare_v2(database, "SELECT name, bytes FROM reports WHERE bytes IS NOT NULL", -1, &read, nullptr);
    }
    const auto text = [&](int column) {
      return std::string(static_cast<const char*>(sqlite3_column_blob(read, column)),
                         static_cast<std::size_t>(sqlite3_column_bytes(read, column)));
    };
    while (code == SQLITE_OK && (code = sqlite3_step(read)) == SQLITE_ROW) {
      EXPECT_TRUE(found.emplace(text(0), text(1)).second) << "two reports of one person";
      code = SQLITE_OK;
    }
    sqlite3_finalize(read);
    sqlite3_close(database);
    return code == SQLITE_DONE ? std::optional(std::move(found)) : std::nullopt;
  }

 private:
  std::mt19937 random_;
  LoopDisk disk_;  // before the collectors, which have its files open
  CollectorProcess network_;
  CollectorProcess other_;  // on the same store
  Faults* faults_ = nullptr;
};

}  // namespace ppgnn::test
