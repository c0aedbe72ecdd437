// Campaigns under everything that a system may do to them, in an order from a seed: whatever was acknowledged is stored once, with its
// bytes, and predictions are those of a calm campaign. One campaign meets every fault; PPGNN_FAULT_SECONDS has more of them
// played, PPGNN_SEED repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "cli/calm_campaign.hpp"
#include "cli/fault_scene.hpp"

namespace ppgnn {
namespace {

using test::Calm;
using test::CollectorProcess;
using test::FaultLoad;
using test::Faults;
using test::FaultScene;
using test::kPeopleOfFaults;
using test::RawConnection;
using test::request_text;
using test::Round;

const std::string kAdministrators = "the-administrators-token";
constexpr std::size_t kRounds = 2;

// The same campaign in a scene with faults.
class Troubled {
 public:
  struct Fault {
    const char* name;
    void (Troubled::*act)();
    bool two = false;  // collectors
  };
  static const std::vector<Fault>& faults();
  // What came of each.
  struct Line {
    int times = 0;
    int restarts = 0;  // that the collector asked for
    FaultLoad::Told told;
  };

  Troubled(const Calm& calm, unsigned seed, std::map<std::string, Line>& lines)
      : calm_(calm), scene_(kPeopleOfFaults, seed), lines_(lines) {
    test::write_secret(network().file("keys"), calm.keys);
    for (const CollectorProcess* one : {&network(), &scene_.other()}) {
      std::ofstream(one->file("tokens.csv")) << calm.tokens;
    }
    deck_ = faults();
    for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[scene_.below(i)]);
  }

  void play() {
    const std::string data = network().data();
    killed("campaign start", data + test::kStart, 60);
    const std::string enrol = data + "--keys " + network().file("keys") + " --out " + network().file("again.csv");
    killed("enrol", enrol, 60);
    for (const char* file : {"", "-wal", "-shm"}) std::filesystem::remove(scene_.path().string() + file);
    std::ofstream(scene_.path(), std::ios::binary) << calm_.store;  // from here on as in the calm one, salts too
    ::sync();
    rounds_[0] = calm_.first;
    std::string predictions;
    for (round_ = 0; round_ < kRounds; ++round_) {
      scene_.serve(network());
      if (round_ == 1) predictions = calm_end();
      play_round();
      if (testing::Test::HasFailure()) return;
      killed("campaign close", "--round " + std::to_string(round_), 20);
      if (scene_.chance()) scene_.cut_power();  // a step that was made is on the disk
      network().stop(SIGKILL);
      check_store();
      killed(round_ + 1 < kRounds ? "campaign ask" : "train", data, 1500);
      if (scene_.chance()) scene_.cut_power();
    }
    EXPECT_FALSE(predictions.empty());
    EXPECT_TRUE(network().run("predict").out == predictions) << "predictions are others";
  }

 private:
  [[nodiscard]] CollectorProcess& network() { return scene_.network(); }
  [[nodiscard]] bool is_erased(const std::string& name) const { return erased_.contains(name); }

  // After what was asked was found to be what a calm campaign asks: the rest of this one on a copy, calmly.
  std::string calm_end() {
    EXPECT_EQ(test::lasting_part(test::plan_of(network())), calm_.plan);
    rounds_[1] = test::round_of(network(), 1);
    EXPECT_TRUE(test::content_of(network().file("questions.csv")) == calm_.questions) << "other questions";
    CollectorProcess twin(kPeopleOfFaults);
    network().must("campaign backup", "--out " + twin.file("c.db"));
    test::write_secret(twin.file("keys"), calm_.keys);
    twin.serve();
    test::play_calmly(twin, rounds_[1], 1);
    twin.must("train", twin.data());
    return twin.run("predict").out;
  }

  // A step that is killed at some moment, twice, and then made; and made again, which changes nothing.
  void killed(const std::string& command, const std::string& more, std::size_t within) {
    for (int i = 0; i < 2; ++i) test::kill_during(network(), command, more, static_cast<int>(scene_.below(within)));
    if (command == "enrol") std::filesystem::remove(network().file("again.csv"));
    network().must(command, more);
    if (command != "enrol" && command != "train") network().must(command, more);
  }

  void play_round() {
    auto people = rounds_[round_].people;
    for (std::size_t i = people.size(); i > 1; --i) std::swap(people[i - 1], people[scene_.below(i)]);
    load_ = std::make_unique<FaultLoad>(std::move(people), static_cast<unsigned>(scene_.below(1U << 30)));
    const std::size_t first = round_ * deck_.size() / kRounds;
    const std::size_t last = (round_ + 1) * deck_.size() / kRounds;
    const std::size_t all = load_->people().size();
    for (std::size_t i = first; i < last; ++i) {
      SCOPED_TRACE(deck_[i].name);
      meet(deck_[i], (i - first) * all / (last - first), (i + 1 - first) * all / (last - first));
      if (testing::Test::HasFailure()) return;
    }
    RawConnection connection(network().port());
    for (const FaultLoad::Person& person : load_->people()) {
      const int status = load_->send(connection, person);
      EXPECT_TRUE(status == 201 || status == (is_erased(person.name) ? 410 : 200)) << status;
    }
    for (const std::string& name : rounds_[round_].erased) erase(name);
    EXPECT_EQ(load_->stored_twice(), 0);
  }

  void meet(const Fault& fault, std::size_t from, std::size_t to) {
    std::vector<std::uint16_t> ports{network().port()};
    if (fault.two) {
      scene_.serve(scene_.other());
      ports.push_back(scene_.other().port());
    }
    load_->start(ports, from, to);
    scene_.wait(5, 60);
    (this->*fault.act)();
    scene_.wait(0, 60);
    const FaultLoad::Told told = load_->stop();
    EXPECT_EQ(told.wrong, 0U) << "neither stored nor refused with 503";
    Line& line = lines_[fault.name];
    ++line.times;
    line.told += told;
    scene_.other().stop(SIGKILL);
    if (FaultScene::ended(network())) {
      network().stop(0);
      scene_.serve(network());
    }
    check_acknowledged();
    line.restarts += std::exchange(restarts_, 0);
  }

  // With power, room, files and locks again: all of them at once, or after a moment, or after the restart that the collector's log asks for.
  void check_acknowledged() {
    const std::set<std::string> acknowledged = load_->acknowledged();
    auto connection = std::make_unique<RawConnection>(network().port());
    for (const FaultLoad::Person& person : load_->people()) {
      if (!acknowledged.contains(person.name)) continue;
      int status = 503;
      for (int i = 0; i < 100 && status == 503; ++i) {
        if (i > 0) scene_.wait(20, 20);
        status =
            connection->status(request_text("POST", "/v1/reports", person.token, "application/cbor", person.report));
        if (i != 50 ||
            test::content_of(network().file("log")).find("overwritten while it was open: restart") == std::string::npos)
          continue;
        network().stop(scene_.chance() ? SIGTERM : SIGKILL);
        scene_.serve(network());
        connection = std::make_unique<RawConnection>(network().port());
        ++restarts_;
      }
      ASSERT_EQ(status, is_erased(person.name) ? 410 : 200) << "an acknowledged report is not there\n"
                                                            << test::content_of(network().file("log"));
    }
    std::ofstream(network().file("log"));  // for the next fault; the collector appends to it
  }

  // The store's own file against what was sent.
  void check_store() {
    const auto stored = FaultScene::reports_in(scene_.path());
    ASSERT_TRUE(stored);
    std::size_t expected = 0;
    for (std::size_t round = 0; round <= round_; ++round) {
      for (const FaultLoad::Person& person : rounds_[round].people) {
        const auto found = stored->find(person.name);
        if (is_erased(person.name)) {
          EXPECT_TRUE(found == stored->end()) << "erased, and still there";
          continue;
        }
        ++expected;
        ASSERT_TRUE(found != stored->end()) << "lost";
        EXPECT_TRUE(found->second == person.report) << "other bytes";
      }
    }
    EXPECT_EQ(stored->size(), expected);
  }

  void erase(const std::string& name) {
    const auto person = std::find_if(load_->people().begin(), load_->people().end(),
                                     [&](const FaultLoad::Person& one) { return one.name == name; });
    erased_.insert(name);
    int status = 0;
    for (int i = 0; i < 100 && status != 200; ++i) {
      status =
          scene_.chance()
              ? test::erase_one(network(), person->token)
              : RawConnection(network().port()).status(request_text("DELETE", "/v1/people/" + name, kAdministrators));
    }
    EXPECT_EQ(status, 200);
  }

  void kill() { network().stop(SIGKILL); }
  void stop() { EXPECT_EQ(network().stop(SIGTERM), 0); }
  void power() { scene_.cut_power(); }
  void full() {
    if (!scene_.disk().there()) return fail_for(&Faults::write_error, ENOSPC);
    const std::string filler = (scene_.disk().folder() / "filler").string();
    const int file = ::open(filler.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const auto room = std::filesystem::space(scene_.disk().folder()).available;
    EXPECT_EQ(::posix_fallocate(file, 0, static_cast<off_t>(room - room / 500)), 0);
    const std::string page(4096, 'x');
    while (::write(file, page.data(), page.size()) > 0 || ::lseek(file, 0, SEEK_END) < 0) {
      if (std::filesystem::space(scene_.disk().folder()).available == 0) break;
    }
    scene_.wait(100, 400);
    ::close(file);
    std::filesystem::remove(filler);
  }
  void fail_for(std::atomic<int> Faults::*kind, int error) {
    scene_.faults().*kind = error;
    scene_.wait(50, 400);
    scene_.faults().*kind = 0;
  }
  void protect() { fail_for(&Faults::write_error, scene_.chance() ? EROFS : EDQUOT); }
  void break_disk() { fail_for(scene_.chance() ? &Faults::write_error : &Faults::sync_error, EIO); }
  void move() {
    const std::array<std::filesystem::path, 3> files{scene_.path(), scene_.log(), scene_.path().string() + "-shm"};
    const auto& file = files[scene_.below(files.size())];
    const std::filesystem::path away = scene_.disk().folder() / "away";
    std::filesystem::rename(file, away);
    scene_.wait(20, 200);
    if (scene_.chance()) {
      std::filesystem::copy_file(away, file);  // another in its place
      scene_.wait(20, 200);
    }
    std::filesystem::rename(away, file);
  }
  void cut_log() {
    std::filesystem::resize_file(scene_.log(), scene_.below(std::filesystem::file_size(scene_.log()) + 1));
    scene_.wait(300, 500);  // it is looked at five times per second, or more often
    if (scene_.chance()) kill();
  }
  void overwrite_log() {
    const std::size_t size = std::filesystem::file_size(scene_.log());
    const std::size_t at = scene_.below(size);
    std::fstream file(scene_.log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << std::string(1 + scene_.below(size - at), 'x');
    file.close();
    scene_.wait(300, 500);
    if (scene_.chance()) kill();
  }
  // What nobody can put back but from a copy: until then nothing is acknowledged.
  void damage_store() {
    ::kill(network().process(), SIGSTOP);
    const std::string content = test::content_of(scene_.path());
    const std::size_t left = scene_.chance() ? 0 : scene_.below(content.size());
    std::filesystem::resize_file(scene_.path(), left);
    std::filesystem::resize_file(scene_.path(), scene_.chance() ? left : content.size());
    ::kill(network().process(), SIGCONT);
    scene_.wait(50, 300);
    kill();
    std::ofstream(scene_.path(), std::ios::binary) << content;
  }
  void lock() {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(scene_.path().c_str(), &database), SQLITE_OK);
    sqlite3_busy_timeout(database, 5000);
    EXPECT_EQ(sqlite3_exec(database, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
    scene_.wait(100, 900);
    sqlite3_close(database);
  }
  void jump() {
    constexpr std::int64_t kYear = 31'557'600;
    for (const std::int64_t years : {10, -30, 200, -1, 0}) {
      scene_.faults().clock_jump = years * kYear;
      scene_.wait(10, 80);
    }
  }
  void few_descriptors() {
    rlimit before{};
    EXPECT_EQ(prlimit(network().process(), RLIMIT_NOFILE, nullptr, &before), 0);
    rlimit few{3, before.rlim_max};
    EXPECT_EQ(prlimit(network().process(), RLIMIT_NOFILE, &few, nullptr), 0);
    scene_.wait(50, 400);
    EXPECT_EQ(prlimit(network().process(), RLIMIT_NOFILE, &before, nullptr), 0);
  }
  void little_memory() {
    std::ifstream sizes("/proc/" + std::to_string(network().process()) + "/statm");
    rlim_t pages = 0;
    sizes >> pages;
    scene_.limit(RLIMIT_AS, pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (scene_.below(3) << 20));
    std::vector<std::unique_ptr<RawConnection>> held;
    for (int i = 0; i < 150 && !FaultScene::ended(network()); ++i) {
      held.push_back(std::make_unique<RawConnection>(network().port()));
      held.back()->send(i % 2 == 0
                            ? "GET /healthz HTTP/1.1\r\nHost: h\r\nX: " + std::string(12'000, 'x')
                            : "POST /v1/reports/batch HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-ndjson\r\n"
                              "Content-Length: 8000000\r\n\r\n" +
                                  std::string(100'000, 'x'));
    }
    scene_.wait(50, 300);
    if (FaultScene::ended(network())) {
      EXPECT_EQ(network().stop(0), 7) << "an end that nobody would notice";
    } else {
      scene_.limit(RLIMIT_AS, RLIM_INFINITY);
    }
  }
  void two_collectors() {
    scene_.wait(50, 300);
    (scene_.chance() ? network() : scene_.other()).stop(SIGKILL);
    scene_.wait(0, 200);
  }
  void back_up() {
    const std::set<std::string> before = load_->acknowledged();
    const std::string copy = network().file("copy.db");
    std::filesystem::remove(copy);
    const std::string more = "--out " + copy;
    test::kill_during(network(), "campaign backup", more, static_cast<int>(scene_.below(60)));
    std::filesystem::remove(copy);
    network().must("campaign backup", more);
    const auto stored = FaultScene::reports_in(copy);
    ASSERT_TRUE(stored);
    for (const FaultLoad::Person& person : load_->people()) {
      if (!before.contains(person.name) || is_erased(person.name)) continue;
      const auto found = stored->find(person.name);
      ASSERT_TRUE(found != stored->end()) << "acknowledged before, and not in the copy";
      EXPECT_TRUE(found->second == person.report);
    }
  }
  void erase_some() {
    const std::vector<std::string>& names = rounds_[round_].erased;
    for (std::size_t i = 0; i < 3 && !names.empty(); ++i) erase(names[scene_.below(names.size())]);
  }
  void reload() {
    for (int i = 0; i < 3; ++i) {
      ::kill(network().process(), SIGHUP);
      scene_.wait(20, 120);
    }
  }

  const Calm& calm_;
  FaultScene scene_;
  std::map<std::string, Line>& lines_;
  std::vector<Fault> deck_;
  std::size_t round_ = 0;
  std::array<Round, kRounds> rounds_;
  std::set<std::string> erased_;
  int restarts_ = 0;
  std::unique_ptr<FaultLoad> load_;
};

const std::vector<Troubled::Fault>& Troubled::faults() {
  static const std::vector<Fault> all{{"killed", &Troubled::kill},
                                      {"stopped", &Troubled::stop},
                                      {"power cut", &Troubled::power},
                                      {"disk full", &Troubled::full},
                                      {"disk write-protected, or over its quota", &Troubled::protect},
                                      {"disk broken", &Troubled::break_disk},
                                      {"file moved or replaced", &Troubled::move},
                                      {"log cut", &Troubled::cut_log},
                                      {"log overwritten", &Troubled::overwrite_log},
                                      {"store cut or overwritten, put back", &Troubled::damage_store},
                                      {"lock held", &Troubled::lock},
                                      {"clock jumps", &Troubled::jump},
                                      {"no descriptors", &Troubled::few_descriptors},
                                      {"little memory", &Troubled::little_memory},
                                      {"two collectors, one killed", &Troubled::two_collectors, true},
                                      {"backup, and one killed", &Troubled::back_up},
                                      {"erasures", &Troubled::erase_some},
                                      {"reloaded", &Troubled::reload}};
  return all;
}

TEST(FaultSchedule, AcknowledgedIsStoredOnceAndPredictionsAreThoseOfACalmCampaign) {
  const char* seconds = std::getenv("PPGNN_FAULT_SECONDS");
  const char* chosen = std::getenv("PPGNN_SEED");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  unsigned seed = chosen == nullptr ? std::random_device()() : static_cast<unsigned>(std::strtoul(chosen, nullptr, 10));
  if (!test::LoopDisk(16).there()) std::puts("no loop mounts here: power is not cut");
  const Calm calm = test::begin_calmly();
  std::map<std::string, Troubled::Line> lines;
  int campaigns = 0;
  do {
    SCOPED_TRACE("PPGNN_SEED=" + std::to_string(seed));
    std::printf("campaign %d: PPGNN_SEED=%u\n", ++campaigns, seed);
    std::fflush(stdout);
    Troubled(calm, seed++, lines).play();
  } while (!HasFailure() && std::chrono::steady_clock::now() < end);
  std::printf("%-42s %7s %8s %8s %8s %11s %9s\n", "fault", "times", "stored", "again", "refused", "unanswered",
              "restarts");
  FaultLoad::Told all;
  for (const auto& [name, line] : lines) {
    std::printf("%-42s %7d %8llu %8llu %8llu %11llu %9d\n", name.c_str(), line.times,
                static_cast<unsigned long long>(line.told.stored), static_cast<unsigned long long>(line.told.repeated),
                static_cast<unsigned long long>(line.told.refused),
                static_cast<unsigned long long>(line.told.unanswered), line.restarts);
    all += line.told;
  }
  std::printf("%d campaigns, %llu reports stored and %llu said to be there under faults; %s\n", campaigns,
              static_cast<unsigned long long>(all.stored), static_cast<unsigned long long>(all.repeated),
              HasFailure() ? "FAILED" : "none lost, none twice, predictions as in the calm campaign");
}

}  // namespace
}  // namespace ppgnn
