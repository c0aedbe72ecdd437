#include "ppgnn/study/setting.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "ppgnn/core/names.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

TEST(Setting, CanonicalLeavesOutWhatDoesNotMatter) {
  const Setting a = canonical({{"method", "nonpriv"}, {"epsilon", "0.01"}, {"hops", "8"}, {"gamma", ".3"}}).value();
  const Setting b = canonical({{"method", "nonpriv"}, {"epsilon", "3"}}).value();
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a.contains("epsilon"));
  // Of one budget for everybody, levels do not matter; hops do.
  const Setting c = canonical({{"method", "lpgnn"}, {"levels", "strict"}, {"h", "2"}}).value();
  EXPECT_EQ(c, canonical({{"method", "lpgnn"}}).value());
  EXPECT_NE(c, canonical({{"method", "lpgnn"}, {"hops", "2"}}).value());
  // An attack does not train.
  EXPECT_FALSE(canonical({{"task", "infer"}})->contains("targets")) << "records from before it have none";
  const Setting many = canonical({{"task", "infer"}, {"targets", "0300000"}}).value();
  EXPECT_EQ(many.at("targets"), "300000");
  EXPECT_TRUE(experiment_of(many)) << "what is canonical can be run";
  EXPECT_EQ(canonical({{"task", "infer"}, {"hops", "2"}, {"scale", "raw"}}).value(),
            canonical({{"task", "infer"}}).value());
}

// What the paper leaves open: budgets, sample size, operator and kept epochs follow the reading.
TEST(Setting, ReadingsMeanWhatTheDocumentSays) {
  const auto with = [](const char* reading, Setting more = {}) {
    more.insert({{"method", "paper"}, {"reading", reading}});
    return experiment_of(more).value();
  };
  EXPECT_EQ(with("ours").budgets, (std::vector<double>{1, 2, 4, 8, 16}));
  EXPECT_EQ(with("authors").budgets, with("ours").budgets);
  EXPECT_EQ(with("print").budgets, (std::vector<double>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(with("print", {{"budgets", "1,3"}}).budgets, (std::vector<double>{1, 3}));
  EXPECT_TRUE(with("authors").pipeline.training.keep_by_three);
  EXPECT_FALSE(with("print").pipeline.training.keep_by_three);
  EXPECT_TRUE(with("ours", {{"m", "best"}}).best_sampled);
  EXPECT_FALSE(experiment_of({{"method", "strict"}, {"m", "best"}}));
  EXPECT_FALSE(experiment_of({{"method", "gm"}, {"reading", "authors"}}));
  EXPECT_TRUE(experiment_of({{"method", "gm"}, {"reading", "print"}}));
  // Records from before readings keep their keys, and a reading does not matter to others.
  EXPECT_FALSE(canonical({{"method", "paper"}})->contains("reading"));
  EXPECT_EQ(canonical({{"method", "lpgnn"}, {"reading", "print"}}).value(), canonical({{"method", "lpgnn"}}).value());
}

TEST(Setting, CanonicalKeepsEveryFactorThatMatters) {
  const std::vector<std::pair<std::string, std::string>> others{
      {"task", "infer"},   {"data", "cora"},      {"method", "ppm*"},   {"epsilon", "2"},      {"levels", "bimodal"},
      {"h", "3"},          {"gamma", "0.3"},      {"m", "2"},           {"operator", "mean"},  {"backbone", "sage"},
      {"hops", "2"},       {"scale", "raw"},      {"dropout", "0.25"},  {"weight_decay", "0"}, {"learning_rate", "0.5"},
      {"epochs", "7"},     {"labels", "all"},     {"seed", "9"},        {"split_seed", "9"},   {"noise_seed", "9"},
      {"targets", "9"},    {"hidden", "8"},       {"response", ".5"},   {"pilots", "yes"},     {"content", "nothing"},
      {"budgets", "1"},    {"level_budget", "2"}, {"hint", "full"},     {"hint_friends", "2"}, {"liars", "0.05"},
      {"lie", "constant"}, {"defence", "no"},     {"reading", "print"}, {"delta", ".01"}};
  EXPECT_EQ(others.size(), kFactors.size());
  for (const auto& [factor, value] : others) {
    const bool campaign = factor == "labels" || factor == "response" || factor == "pilots" || factor == "liars" ||
                          factor == "lie" || factor == "defence";
    const bool home = factor.starts_with("hint");
    Setting setting{{"method", home                       ? "home"
                               : campaign                 ? "teach"
                               : factor == "level_budget" ? "strict"
                               : factor == "delta"        ? "gm"
                                                          : "paper"}};
    if (factor == "targets") setting["task"] = "infer";
    if (factor == "scale") setting["scale"] = "common";
    if (factor == "lie") setting["liars"] = "0.05";  // nobody tells it otherwise
    const Setting before = canonical(setting).value();
    setting[factor] = value;
    EXPECT_NE(canonical(setting).value(), before) << factor;
  }
}

// What campaigns have no use for does not make another experiment of them; nor do their factors of other methods.
TEST(Setting, CampaignsLookAtBudgetsAndLabelsOnly) {
  const Setting campaign = canonical({{"method", "teach"}}).value();
  EXPECT_EQ(campaign, canonical({{"method", "teach"}, {"hops", "8"}, {"scale", "raw"}, {"gamma", ".3"}}).value());
  EXPECT_NE(campaign, canonical({{"method", "teach"}, {"epsilon", "2"}}).value());
  EXPECT_NE(campaign, canonical({{"method", "teach"}, {"levels", "strict"}}).value());
  EXPECT_FALSE(canonical({{"method", "strict"}, {"labels", "all"}}).value().contains("labels"));
  EXPECT_FALSE(canonical({{"method", "teach"}, {"task", "infer"}}));
}

TEST(Setting, FeaturesCanBeShuffledButNotAttackedThen) {
  for (const char* method : {"home", "teach", "strict"}) {
    const Setting setting{{"method", method}, {"content", "shuffled"}};
    EXPECT_EQ(canonical(setting).value().at("content"), "shuffled");
    EXPECT_EQ(experiment_of(setting)->content, population::Content::shuffled);
  }
  EXPECT_EQ(experiment_of({{"method", "teach-control"}, {"content", "shuffled"}})->content,
            population::Content::nothing);
  EXPECT_FALSE(experiment_of({{"method", "strict"}, {"content", "shuffled"}, {"task", "infer"}}));
}

TEST(Setting, CanonicalSpellsNumbersOneWay) {
  EXPECT_EQ(canonical({{"epsilon", "1.0"}, {"dropout", ".50"}}).value(), canonical({}).value());
}

// Records made before there were seeds are of seed 0, and keep their keys.
TEST(Setting, SeedsAreDigitsAndZeroIsNone) {
  EXPECT_EQ(canonical({{"seed", "0"}}).value(), canonical({}).value());
  EXPECT_FALSE(canonical({}).value().contains("seed"));
  const Setting far = canonical({{"seed", "9007199254740992"}}).value();
  EXPECT_EQ(far.at("seed"), "9007199254740992");
  EXPECT_EQ(experiment_of(far).value().split_seed, std::uint64_t{1} << 53);
  EXPECT_EQ(experiment_of(far).value().noise_seed, std::uint64_t{1} << 53);
  for (const char* wrong : {"9007199254740993", "-1", "1.5", "1e3", "x"}) {
    EXPECT_FALSE(canonical({{"seed", wrong}})) << wrong;
  }
}

TEST(Setting, MeanBudgetIsThatOfThePersonalMethods) {
  const Setting mean = canonical({{"method", "lpgnn@mean"}, {"epsilon", "0.5"}}).value();
  EXPECT_EQ(mean.at("method"), "lpgnn");
  EXPECT_EQ(mean.at("epsilon"), "3.1");  // .5 * (1 + 2 + 4 + 8 + 16) / 5
  EXPECT_EQ(canonical({{"method", "lpgnn@mean"}, {"levels", "relaxed"}})->at("epsilon"), "16");
  EXPECT_EQ(canonical({{"method", "lpgnn@mean"}, {"levels", "bimodal"}})->at("epsilon"), "8.5");
  EXPECT_EQ(method_named("strict@mean"), nullptr);
  EXPECT_EQ(method_title("base@mean"), "BASE at the mean budget");
}

TEST(Setting, EveryMethodGivesAConfiguration) {
  for (const MethodEntry& entry : methods()) {
    const Experiment config = experiment_of({{"method", std::string(entry.name)}, {"epsilon", "2"}}).value();
    EXPECT_EQ(config.budgets.front(), 2) << entry.name;
    EXPECT_EQ(config.budgets.size(), entry.budgets == MethodEntry::Budgets::personal ? 5u : 1u) << entry.name;
    EXPECT_EQ(config.method, &entry);
    EXPECT_EQ(config.content, entry.content);
    EXPECT_EQ(config.secrecy, entry.secrecy);
  }
}

// The paper's scale goes without saying, one that is named does not change; what records say was always explicit.
TEST(Setting, TheScaleIsTheMethodsUnlessNamed) {
  EXPECT_EQ(canonical({{"method", "paper"}})->at("scale"), "raw");
  EXPECT_EQ(canonical({{"method", "paper"}, {"scale", "common"}})->at("scale"), "common");
  EXPECT_EQ(canonical({{"method", "strict"}})->at("scale"), "common");
  EXPECT_EQ(method_named("paper")->gamma(), .5);
  EXPECT_EQ(method_named("strict")->gamma(), 0);
}

// Budgets one by one are another way to say epsilon and h; of one budget the first is the epsilon.
TEST(Setting, BudgetsHaveOneSpelling) {
  const Setting listed = canonical({{"budgets", "1.0,2,4e0"}, {"epsilon", "3"}}).value();
  EXPECT_EQ(listed.at("budgets"), "1,2,4");
  EXPECT_FALSE(listed.contains("epsilon") || listed.contains("h"));
  EXPECT_EQ(canonical({{"method", "lpgnn"}, {"budgets", "2,4"}}).value(),
            canonical({{"method", "lpgnn"}, {"epsilon", "2"}}).value());
  EXPECT_FALSE(canonical({{"method", "lpgnn@mean"}, {"budgets", "2,4"}}));
}

// A record would say nothing of what is in the file.
TEST(Setting, AFileOfLevelsIsForOneCellOnly) {
  EXPECT_EQ(experiment_of({{"levels", "some.csv"}})->levels_file, "some.csv");
  EXPECT_TRUE(canonical({{"levels", "some.csv"}}).error().message.starts_with("levels: must be uniform"));
}

TEST(Setting, FormerNamesAreThoseOfMethods) {
  EXPECT_EQ(current_name("ppgnn"), "strict");
  EXPECT_EQ(current_name("ppgnn-paper"), "paper");
  EXPECT_EQ(current_name("ppgnn-public"), "strict-public");
  EXPECT_EQ(current_name("lpgnn@mean"), "lpgnn@mean");
  for (const FormerName& former : kFormerNames) {
    EXPECT_NE(method_named(former.now), nullptr);
    EXPECT_EQ(method_named(former.name), nullptr);
  }
}

TEST(Setting, WrongValuesNameTheFactor) {
  const auto message = [](const Setting& setting) { return canonical(setting).error().message; };
  EXPECT_NE(message({{"colour", "red"}}).find("factor: must be one of task, data, method"), std::string::npos);
  EXPECT_NE(message({{"method", "magic"}}).find("method: must be one of nonpriv, base"), std::string::npos);
  for (const auto& [factor, value] : std::initializer_list<std::pair<const char*, const char*>>{{"epsilon", "0"},
                                                                                                {"epsilon", "nan"},
                                                                                                {"h", "0"},
                                                                                                {"h", "64"},
                                                                                                {"gamma", "2"},
                                                                                                {"m", "0"},
                                                                                                {"operator", "sum"},
                                                                                                {"levels", "some"},
                                                                                                {"task", "guess"},
                                                                                                {"backbone", "mlp"},
                                                                                                {"hops", "-1"},
                                                                                                {"scale", "0"},
                                                                                                {"learning_rate", "-1"},
                                                                                                {"weight_decay", "x"},
                                                                                                {"dropout", "1"},
                                                                                                {"epochs", "0"},
                                                                                                {"hidden", "6"},
                                                                                                {"response", "0"},
                                                                                                {"pilots", "maybe"},
                                                                                                {"content", "some"},
                                                                                                {"targets", "1"},
                                                                                                {"level_budget", "0"},
                                                                                                {"budgets", "1,x"}}) {
    const Result<Setting> made = canonical({{factor, value}});
    ASSERT_FALSE(made) << factor << ' ' << value;
    EXPECT_TRUE(made.error().message.starts_with(std::string(factor) + ": must be")) << made.error().message;
  }
}

// The page lists what the tables list.
TEST(Setting, EveryNameIsInTheDocument) {
  const std::string page = test::content_of(std::filesystem::path(PPGNN_SOURCE_DIR) / "docs/formats/study.md");
  const auto expect_all = [&](const auto& rows) {
    for (const std::string& name : names_of(rows)) {
      EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << "docs/formats/study.md lacks " << name;
    }
  };
  expect_all(kFactors);
  expect_all(kTasks);
  expect_all(methods());
  expect_all(population::kLevelChoices);
  expect_all(calibrate::kOperators);
  expect_all(nn::backbones());
}

TEST(Setting, NoTwoMethodsShareALine) {
  std::set<std::size_t> styles;
  for (const MethodEntry& method : methods()) {
    if (method.name != "control" && method.name != "nonpriv") {
      EXPECT_TRUE(styles.insert(method.style).second) << method.name;
    }
  }
}

}  // namespace
}  // namespace ppgnn::study
