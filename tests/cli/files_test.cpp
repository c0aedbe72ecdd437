// What the commands do with files and names that are not as one expects.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/command_line.hpp"

namespace ppgnn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::CommandResult;
using test::content_of;
using test::run_ppgnn;

// Twenty people in a ring, the plain form.
void write_people(const fs::path& folder) {
  std::string edges;
  std::string labels = "node,class\n";
  std::string features = "node,a,b,c\n";
  for (int i = 0; i < 20; ++i) {
    const std::string node = "p" + std::to_string(i);
    edges += node + ",p" + std::to_string((i + 1) % 20) + '\n';
    labels += node + (i % 2 == 0 ? ",even\n" : ",odd\n");
    features += node + (i % 2 == 0 ? ",1,0,1\n" : ",0,1,0\n");
  }
  test::write_content(folder / "edges.csv", edges);
  test::write_content(folder / "labels.csv", labels);
  test::write_content(folder / "features.csv", features);
}

class FilesOfCommands : public testing::Test {
 protected:
  const test::TemporaryFolder folder_;
  const fs::path data_ = folder_ / "data";

  void SetUp() override { write_people(data_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // plan, reports and model in the folder, from data at `data`.
  void make_all(const std::string& data) const {
    for (const std::string& command :
         {"plan --data " + data + " --epsilon 4 --out " + path("plan"),
          "perturb --data " + data + " --plan " + path("plan") + " --out " + path("reports"),
          "train --data " + data + inputs() + "--epochs 2 --model " + path("model")}) {
      const CommandResult made = run_ppgnn(command);
      ASSERT_EQ(made.status, 0) << command << '\n' << made.error;
    }
  }
  [[nodiscard]] std::string inputs() const { return " --plan " + path("plan") + " --reports " + path("reports") + " "; }
  void expect_refused(const std::string& arguments, const std::string& message) const {
    const CommandResult refused = run_ppgnn(arguments);
    EXPECT_EQ(refused.status, 2) << arguments << '\n' << refused.error;
    EXPECT_NE(refused.error.find(message), std::string::npos) << arguments << '\n' << refused.error;
  }
};

TEST_F(FilesOfCommands, OutputsAreNoFilesOfTheData) {
  make_all(data_.string());
  const std::string data = " --data " + data_.string() + " ";
  fs::create_symlink(data_ / "features.csv", folder_ / "link");
  fs::create_hard_link(data_ / "features.csv", folder_ / "hard");
  const std::string edges = content_of(data_ / "edges.csv");
  const std::string features = content_of(data_ / "features.csv");
  for (const std::string& file : {(data_ / "edges.csv").string(), (data_ / "features.csv").string(), path("link"),
                                  path("hard"), path("data/../data/labels.csv")}) {
    const std::string same = "name the same file";
    expect_refused("plan" + data + "--epsilon 1 --out " + file, same);
    expect_refused("perturb --force" + data + "--plan " + path("plan") + " --out " + file, same);
    expect_refused("train" + data + inputs() + "--model " + file, same);
    expect_refused("train" + data + inputs() + "--model " + path("m") + " --history " + file, same);
    expect_refused("train" + data + inputs() + "--model " + path("m") + " --checkpoint " + file, same);
    expect_refused("predict" + data + inputs() + "--model " + path("model") + " --out " + file, same);
    expect_refused("data convert " + data_.string() + " " + file, same);
  }
  EXPECT_EQ(content_of(data_ / "edges.csv"), edges);
  EXPECT_EQ(content_of(data_ / "features.csv"), features);
  // Nor may one turn up among them. Other names in the folder are nobody's.
  fs::remove(data_ / "labels.csv");
  expect_refused("plan" + data + "--epsilon 1 --out " + (data_ / "labels.tsv").string(),
                 "would become part of the data");
  EXPECT_EQ(run_ppgnn("plan" + data + "--epsilon 1 --out " + (data_ / "plan.txt").string()).status, 0);
  EXPECT_EQ(run_ppgnn("plan" + data + "--epsilon 1 --out " + (data_ / "plan.txt").string()).status, 0);
}

TEST_F(FilesOfCommands, OutputsAreNoStoredGraphLevelsOrPublishedFile) {
  make_all(data_.string());
  const std::string stored = path("g.ppgraph");
  ASSERT_EQ(run_ppgnn("data convert " + data_.string() + " " + stored).status, 0);
  const std::string before = content_of(stored);
  expect_refused("data convert " + stored + " " + stored, "name the same file");
  expect_refused("plan --data " + stored + " --epsilon 1 --out " + stored, "name the same file");
  EXPECT_EQ(content_of(stored), before);

  test::write_content(folder_ / "levels", "node,level\n");
  expect_refused("perturb --force --data " + stored + " --plan " + path("plan") + " --levels " + path("levels") +
                     " --out " + path("levels"),
                 "--levels and --out name the same file");

  const CommandResult list = run_ppgnn("data list --json --data-dir " + path("published"));
  const std::string published = json::parse(list.out)["datasets"][0]["files"][0]["path"];
  test::write_content(folder_ / "published" / published, "precious");
  expect_refused("plan --data " + stored + " --data-dir " + path("published") + " --epsilon 1 --out " +
                     path("published/" + published),
                 "name the same file");
}

TEST_F(FilesOfCommands, StudiesKeepTheirResultsApartFromTheData) {
  // studies.json beside the only .json of this form would make the features ambiguous.
  const fs::path musae = folder_ / "musae";
  test::write_content(musae / "x_edges.csv", "id_1,id_2\n0,1\n");
  test::write_content(musae / "x_target.csv", "id,target\n0,0\n1,1\n");
  test::write_content(musae / "y.json", R"({"0":[0],"1":[1]})");
  expect_refused("study run h --quick --runs 1 --data " + musae.string() + " --out " + musae.string(),
                 "would become part of the data");
  fs::rename(data_, folder_ / "tables");
  expect_refused("study run h --quick --runs 1 --data " + path("tables") + " --out " + folder_.path().string(),
                 "holds data");
}

TEST_F(FilesOfCommands, PipesAreRefusedAtOnce) {
  make_all(data_.string());
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string data = " --data " + data_.string() + " ";
  for (const std::string& arguments :
       {"audit --plan " + path("pipe"), "plan --epsilon 1 --out " + path("p") + " --schema " + path("pipe"),
        "data info " + path("pipe"), "train" + data + inputs() + "--model " + path("m") + " --labels " + path("pipe"),
        "predict" + data + inputs() + "--model " + path("pipe"),
        "perturb" + data + "--plan " + path("plan") + " --out " + path("r") + " --levels " + path("pipe")}) {
    const CommandResult refused = run_ppgnn("--version >/dev/null; timeout 20 " PPGNN_BINARY " " + arguments);
    EXPECT_EQ(refused.status, 4) << arguments << '\n' << refused.error;
    EXPECT_NE(refused.error.find("not a regular file"), std::string::npos) << arguments << '\n' << refused.error;
  }
}

TEST_F(FilesOfCommands, StandardInputIsReadWhereAskedFor) {
  make_all(data_.string());
  const std::string data = " --data " + data_.string() + " ";
  const auto fed = [&](const std::string& arguments, const std::string& input) {
    return run_ppgnn(arguments, ".", path(input));
  };
  EXPECT_EQ(fed("audit --plan - --json", "plan").out, run_ppgnn("audit --json --plan " + path("plan")).out);
  const std::string predict = "predict" + data + "--model " + path("model");
  EXPECT_EQ(fed(predict + " --plan " + path("plan") + " --reports -", "reports").out,
            run_ppgnn(predict + inputs()).out);
  EXPECT_EQ(fed("train" + data + inputs() + "--epochs 2 --labels - --model " + path("m"), "data/labels.csv").status, 0);
  EXPECT_EQ(content_of(path("m")), content_of(path("model")));
  test::write_content(folder_ / "schema", "name,count,kind,low,high,absent\nword,3,binary,0,1,0\n");
  EXPECT_EQ(fed("plan --schema - --epsilon 1 --out " + path("p"), "schema").status, 0);
  const CommandResult empty = run_ppgnn("audit --plan -");
  EXPECT_EQ(empty.status, 3);
  EXPECT_NE(empty.error.find("standard input: "), std::string::npos) << empty.error;
  expect_refused(predict + " --plan - --reports -", "cannot both be read from standard input");
  expect_refused(predict + inputs() + " --out -", "must be a file");
}

TEST_F(FilesOfCommands, NamesThatAreNotUtf8WorkToTheEnd) {
  const test::TemporaryFolder elsewhere;
  const std::string odd = (elsewhere / "d\xff").string();
  write_people(odd);
  test::write_content(fs::path(odd) / "s.toml",
                      "id = \"s\"\nruns = 2\n[factors]\nmethod = [\"ppgnn\", \"control\"]\nepochs = 2\nhops = 1\n"
                      "[[table]]\nrows = [\"method\"]\ncolumns = [\"data\"]\n"
                      "[[figure]]\nx = \"data\"\nlines = \"method\"\n");
  const std::string data = " --json --data " + odd + " ";
  const auto at = [&](const std::string& name) { return odd + "/" + name; };
  const std::string files = "--plan " + at("plan") + " --reports " + at("reports") + " ";
  for (const std::string& command :
       {"data info --json " + odd, "data convert --json " + odd + " " + at("g.ppgraph"),
        "plan" + data + "--epsilon 4 --out " + at("plan"),
        "perturb" + data + "--plan " + at("plan") + " --out " + at("reports"),
        "train" + data + files + "--epochs 2 --model " + at("model") + " --checkpoint " + at("state"),
        "predict" + data + files + "--model " + at("model"), "run" + data + "--runs 1 --epochs 2 --method strict",
        "attack" + data + "--runs 1 --method strict", "study run " + at("s.toml") + data + "--out " + at("study"),
        "study report --json --out " + at("study"), "study compare --json --out " + at("study")}) {
    const CommandResult done = run_ppgnn(command);
    EXPECT_EQ(done.status, 0) << command << '\n' << done.error;
    EXPECT_FALSE(json::parse(done.out, nullptr, false).is_discarded()) << command << '\n' << done.out;
  }
  EXPECT_TRUE(fs::exists(at("model")));
  const json report = json::parse(run_ppgnn("study report --json --out " + at("study")).out);
  EXPECT_EQ(report["runs"], report["runs_wanted"]) << "what was run is found again";
}

TEST_F(FilesOfCommands, MessagesShowWhatIsHidden) {
  const std::string name =
      "\x1b[31m\xE2\x80\xAE"
      "a\nppgnn: b";
  const CommandResult refused = run_ppgnn("data info '" + name + "'");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.error.find("'\\x1b[31m\\u202ea\\nppgnn: b'"), std::string::npos) << refused.error;
  EXPECT_EQ(refused.error.find('\x1b'), std::string::npos);
  EXPECT_EQ(refused.error.find('\n'), refused.error.size() - 1);
  for (const std::string& arguments : {std::string("run --runs '\x1b[2J'"), std::string("data info x '--\x1b[2J'")}) {
    const CommandResult wrong = run_ppgnn(arguments);
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.error.find("\\x1b[2J"), std::string::npos) << wrong.error;
    EXPECT_EQ(wrong.error.find('\x1b'), std::string::npos);
  }
}

TEST_F(FilesOfCommands, HiddenCharactersInNamesOfColumnsAreRefused) {
  for (const char* name : {"a\xE2\x80\xAE"
                           "b",
                           "a\xE2\x81\xA6", "\xE2\x80\x8F", "a\xC2\x85", "a\tb"}) {
    test::write_content(folder_ / "schema",
                        std::string("name,count,kind,low,high,absent\n") + name + ",1,binary,0,1,0\n");
    const CommandResult refused = run_ppgnn("plan --epsilon 1 --out " + path("p") + " --schema " + path("schema"));
    EXPECT_EQ(refused.status, 3) << refused.error;
    EXPECT_NE(refused.error.find("schema:2: name: must be UTF-8 without control or bidirectional characters"),
              std::string::npos)
        << refused.error;
  }
}

}  // namespace
}  // namespace ppgnn
