// Holds every #include of the tree to the order of the rooms, and the device rooms to what a browser can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path kSource = PPGNN_SOURCE_DIR;

// Room -> the rooms it is declared to see.
std::map<std::string, Names> declared_rooms() {
  std::map<std::string, Names> sees;
  std::ifstream file(PPGNN_ROOMS_FILE);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string room;
    words >> room;
    room.pop_back();
    sees[room] = {};
    for (std::string seen; words >> seen;) sees[room].insert(seen);
  }
  return sees;
}

// Room -> every room it may include: itself and all it sees, directly or not.
std::map<std::string, Names> allowed_rooms() {
  const std::map<std::string, Names> sees = declared_rooms();
  std::map<std::string, Names> all;
  const std::function<const Names&(const std::string&)> close = [&](const std::string& room) -> const Names& {
    if (!all.contains(room)) {
      Names reached{room};
      for (const std::string& seen : sees.at(room)) reached.merge(Names(close(seen)));
      all[room] = reached;
    }
    return all.at(room);
  };
  for (const auto& [room, direct] : sees) close(room);
  return all;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> sources_of(const std::string& room) {
  std::vector<fs::path> files;
  for (const fs::path& folder : {kSource / "include/ppgnn" / room, kSource / "src" / room}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  return files;
}

std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex kInclude(R"re(#\s*include\s*([<"][^>"]+[>"]))re");
  const std::string text = read(path);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

// The room an include belongs to, or empty for one from outside the project.
std::string room_of(const std::string& include) {
  static const std::regex kRoom(R"re("(?:ppgnn/)?([a-z_]+)/[^"]*")re");
  std::smatch match;
  return std::regex_match(include, match, kRoom) ? match[1].str() : std::string();
}

TEST(Layering, NoRoomIncludesWhatItMayNotSee) {
  const auto allowed = allowed_rooms();
  ASSERT_GE(allowed.size(), 3u);
  std::size_t checked = 0;
  for (const auto& [room, may_see] : allowed) {
    const auto files = sources_of(room);
    EXPECT_FALSE(files.empty()) << room;
    for (const fs::path& file : files) {
      for (const std::string& include : includes_of(file)) {
        if (include.front() != '"') continue;
        EXPECT_TRUE(may_see.contains(room_of(include))) << file << " includes " << include;
        if (!include.starts_with("\"ppgnn/")) {  // what stands in src/ is the room's own
          EXPECT_EQ(room_of(include), room) << file << " includes " << include;
        }
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 5u);
}

// An edge that nobody uses is a door left open.
TEST(Layering, EveryDeclaredEdgeIsUsed) {
  for (const auto& [room, sees] : declared_rooms()) {
    Names included;
    for (const fs::path& file : sources_of(room)) {
      for (const std::string& include : includes_of(file)) included.insert(room_of(include));
    }
    for (const std::string& seen : sees) EXPECT_TRUE(included.contains(seen)) << room << " never includes " << seen;
  }
}

// The map in HACKING.md is what the build declares.
TEST(Layering, TheMapIsTrue) {
  static const std::regex kRow(R"re(^\| `([a-z_]+)` \| [^|]+ \| ([a-z_ ]*)\|$)re");
  std::map<std::string, Names> mapped;
  std::istringstream lines(read(kSource / "HACKING.md"));
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, kRow)) continue;
    std::istringstream words(match[2].str());
    Names& sees = mapped[match[1].str()];
    for (std::string seen; words >> seen;) sees.insert(seen);
  }
  EXPECT_EQ(mapped, declared_rooms());
}

// What scripts build and run by name is there.
TEST(Layering, TestsThatScriptsNameExist) {
  static const std::regex kName(R"re(\btest_([a-z_]+)\b)re");
  const std::string tests = read(kSource / "tests/CMakeLists.txt");
  for (const auto& entry : fs::directory_iterator(kSource / "scripts")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it) {
      const std::string start = "ppgnn_test(" + (*it)[1].str();
      EXPECT_TRUE(tests.find(start + ' ') != std::string::npos || tests.find(start + '\n') != std::string::npos)
          << entry.path() << ": " << it->str();
    }
  }
}

// Pages name files; a file that moves takes them along.
TEST(Layering, FilesThatPagesNameExist) {
  static const std::regex kPath(
      R"re(`((?:src|include|tests|apps|docs|scripts|fuzz|bench|studies|cmake)/[A-Za-z0-9_./-]+\.[a-z]+)`)re");
  std::vector<fs::path> pages{kSource / "README.md", kSource / "HACKING.md", kSource / "SECURITY.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  for (const fs::path& page : pages) {
    const std::string text = read(page);
    for (std::sregex_iterator it(text.begin(), text.end(), kPath), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(kSource / (*it)[1].str())) << page << " names " << (*it)[1].str();
    }
  }
}

// Long files and functions hide more than one thing; clang-tidy counts the lines of functions.
TEST(Layering, NoSourceIsTooLongToRead) {
  for (const char* folder : {"src", "include", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string text = read(entry.path());
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 450) << entry.path();
    }
  }
}

// What a report kind is like, its struct says: a comparison elsewhere is a place that the next kind forgets.
TEST(Layering, ReportKindsAreNotComparedByName) {
  static const std::regex kCompared(R"([!=]= *(ldp::)?ReportKind::|ReportKind::[a-z]+ *[!=]=)");
  for (const char* folder : {"src", "include", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const std::string text = read(entry.path());
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, kCompared)) << entry.path() << ": " << found.str();
    }
  }
}

// Operators' commands do not see the laboratory: only the files of run, attack and study do, and what says what the
// paper's protocol is worth, whose header shows nothing of it.
TEST(Layering, OperatorsDoNotSeeTheLaboratory) {
  static const Names kLaboratory{"simulate", "attack", "study", "report", "ldp_research"};
  static const Names kItsFiles{"run_command.cpp",    "run_report.cpp",     "run_table.cpp",
                               "attack_command.cpp", "study_command.cpp",  "study_merge.cpp",
                               "study_results.cpp",  "method_options.cpp", "audit_paper.cpp"};
  const fs::path apps = kSource / "apps/ppgnn";
  // What a file includes of the laboratory, itself or through the command's own headers.
  const std::function<Names(const fs::path&, Names&)> seen = [&](const fs::path& file, Names& read) {
    Names rooms;
    if (!read.insert(file.filename()).second) return rooms;
    for (const std::string& include : includes_of(file)) {
      if (include.front() != '"') continue;
      if (kLaboratory.contains(room_of(include))) rooms.insert(room_of(include));
      const fs::path own = apps / include.substr(1, include.size() - 2);
      if (fs::exists(own)) rooms.merge(seen(own, read));
    }
    return rooms;
  };
  std::size_t laboratory = 0;
  for (const auto& entry : fs::directory_iterator(apps)) {
    if (entry.path().extension() != ".cpp") continue;
    Names read;
    const Names rooms = seen(entry.path(), read);
    const bool its_own = kItsFiles.contains(entry.path().filename());
    laboratory += its_own ? 1U : 0U;
    EXPECT_EQ(!rooms.empty(), its_own) << entry.path() << (its_own ? " sees nothing of the laboratory" : " sees ")
                                       << (rooms.empty() ? "" : *rooms.begin());
  }
  EXPECT_EQ(laboratory, kItsFiles.size());
}

TEST(Layering, EverySourceFolderIsARoom) {
  const auto allowed = allowed_rooms();
  for (const fs::path& parent : {kSource / "src", kSource / "include/ppgnn"}) {
    for (const auto& entry : fs::directory_iterator(parent)) {
      if (entry.is_directory()) {
        EXPECT_TRUE(allowed.contains(entry.path().filename())) << entry.path();
      }
    }
  }
}

// Somebody who has the installed headers needs no other one.
TEST(Layering, InstalledHeadersIncludeOnlyEachOther) {
  static const std::regex kHeader(R"re(\b([a-z_]+/[a-z0-9_]+\.hpp|[a-z_]+/[a-z_]+\.h)\b)re");
  const std::string text = read(kSource / "cmake/install.cmake");
  Names installed;
  for (std::sregex_iterator it(text.begin(), text.end(), kHeader), end; it != end; ++it) {
    installed.insert("ppgnn/" + (*it)[1].str());
  }
  EXPECT_GE(installed.size(), 20u);
  EXPECT_LE(installed.size(), 32u) << "what is installed must be kept";
  for (const std::string& header : installed) {
    ASSERT_TRUE(fs::exists(kSource / "include" / header)) << header;
    for (const std::string& include : includes_of(kSource / "include" / header)) {
      if (include.front() != '"') continue;
      EXPECT_TRUE(installed.contains(include.substr(1, include.size() - 2))) << header << " includes " << include;
    }
  }
}

// The trust boundary, stated once more on its own: whatever the build files say, these stay as they are.
TEST(Layering, TheDeviceSeesNoGraphNoServerAndNoSeed) {
  const auto allowed = allowed_rooms();
  const std::map<std::string, Names> at_most{{"core", {"core"}},
                                             {"random", {"core", "random"}},
                                             {"ldp", {"core", "random", "ldp"}},
                                             {"wire", {"core", "random", "ldp", "wire"}},
                                             {"client", {"core", "random", "ldp", "wire", "client"}}};
  for (const auto& [room, most] : at_most) {
    if (!allowed.contains(room)) continue;
    for (const std::string& seen : allowed.at(room)) EXPECT_TRUE(most.contains(seen)) << room << " sees " << seen;
  }
  EXPECT_FALSE(allowed.at("server").contains("client"));
}

// What faces the network has nothing to compute with, and nothing of the graph: the link graph says so, and so does the
// process (tests/cli looks at what it loads).
TEST(Layering, TheCollectorSeesNeitherGraphNorNetworkLayers) {
  const auto allowed = allowed_rooms();
  for (const std::string room : {"collector", "store", "admission", "remote"}) {
    for (const std::string hidden :
         {"graph", "seeded", "kernels", "nn", "train", "calibrate", "server", "teach", "campaign", "population",
          "ldp_research", "simulate", "attack", "study", "report"}) {
      EXPECT_FALSE(allowed.at(room).contains(hidden)) << room << " sees " << hidden;
    }
  }
  EXPECT_FALSE(allowed.at("collector").contains("client"));
  EXPECT_FALSE(allowed.at("remote").contains("store"));
}

TEST(Layering, DeviceRoomsUseNoThreadsStreamsOrStandardDistributions) {
  static const Names kForbidden{"<thread>", "<iostream>", "<fstream>", "<sstream>", "<mutex>",   "<atomic>",
                                "<future>", "<random>",   "<regex>",   "<iomanip>", "<ostream>", "<istream>"};
  for (const std::string room : {"core", "random", "ldp", "wire", "client"}) {
    for (const fs::path& file : sources_of(room)) {
      for (const std::string& include : includes_of(file)) {
        EXPECT_FALSE(kForbidden.contains(include)) << file << " includes " << include;
      }
    }
  }
}

// A server compiles these rooms with exceptions, so that std::bad_alloc passes through them; they have none of their own.
TEST(Layering, DeviceRoomsNeitherThrowNorCatch) {
  static const std::regex kWord(R"(\b(throw|try|catch)\b)");
  for (const std::string room : {"core", "random", "ldp", "wire", "client"}) {
    for (const fs::path& file : sources_of(room)) {
      std::istringstream lines(read(file));
      for (std::string line; std::getline(lines, line);) {
        const std::string code = line.substr(0, line.find("//"));
        EXPECT_FALSE(std::regex_search(code, kWord)) << file << ": " << line;
      }
    }
  }
}

// What people read stands in one table, for whoever translates it.
TEST(Layering, WordsForPeopleStandInTheTableOfMessages) {
  static const std::regex kWords(R"re("[^"]*[A-Za-z]+ [^"]*")re");
  for (const char* file : {"src/ldp/words.cpp", "src/client/words.cpp"}) {
    std::istringstream lines(read(kSource / file));
    int seen = 0;
    for (std::string line; std::getline(lines, line); ++seen) {
      EXPECT_FALSE(std::regex_search(line.substr(0, line.find("//")), kWords)) << file << ": " << line;
    }
    EXPECT_GT(seen, 10) << file;
  }
  static const std::regex kSentence(
      R"re(kTime = "[^"]|kIntroduction =\s*"[^"]|filled\(\s*"[a-z{} ]+(columns|chance))re");
  for (const fs::path& file : sources_of("ldp")) {
    EXPECT_FALSE(std::regex_search(read(file), kSentence)) << file;
  }
}

// Nothing random is ever reduced by remainder, and no float decides an output (PRIVACY: exact samplers).
TEST(Layering, SamplersHaveNoRemainderAndNoFloatingPoint) {
  for (const fs::path& file : sources_of("random")) {
    std::istringstream lines(read(file));
    for (std::string line; std::getline(lines, line);) {
      const std::string code = line.substr(0, line.find("//"));
      EXPECT_EQ(code.find('%'), std::string::npos) << file << ": " << line;
      EXPECT_FALSE(std::regex_search(code, std::regex(R"(\b(float|double)\b)"))) << file << ": " << line;
    }
  }
}

TEST(Layering, HeadersAreGuardedAndSourcesIncludeTheirOwnHeaderFirst) {
  for (const auto& [room, may_see] : allowed_rooms()) {
    for (const fs::path& file : sources_of(room)) {
      if (file.extension() == ".hpp") {
        EXPECT_TRUE(read(file).starts_with("#pragma once\n")) << file;
        continue;
      }
      const std::string own = "ppgnn/" + room + "/" + file.stem().string() + ".hpp";
      if (fs::exists(kSource / "include" / own)) {
        ASSERT_FALSE(includes_of(file).empty()) << file;
        EXPECT_EQ(includes_of(file).front(), '"' + own + '"') << file;
      }
    }
  }
}

}  // namespace
