#include "ppgnn/study/experiment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "ppgnn/report/report.hpp"
#include "ppgnn/study/one_cell.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

constexpr const char* kSmallStudy = R"(
id = "small"
title = "A <small> study"
runs = 2
[factors]
data = ["synthetic:social,nodes=200"]
epsilon = [0.1, 1]
method = ["lpgnn", "paper", "strict", "control", "nonpriv"]
scale = ["common", "raw"]
epochs = [10]
[[rule]]
when = { method = "control", scale = "raw" }
skip = true
[select]
epsilon = [1]
[select.grid]
scale = [0.1, 1]
hops = [1, 2, 4]
[[table]]
rows = ["epsilon", "method"]
columns = ["scale"]
[[figure]]
x = "epsilon"
lines = "method"
panels = ["scale"]
[[claim]]
text = "strict beats the paper's"
better = { method = "strict" }
worse = { method = "paper" }
[[claim]]
text = "accuracy is one half"
better = { method = "strict" }
near = 0.5
within = 0.5
[[printed]]
where = { epsilon = 1, method = "strict" }
data = ["synthetic:social,nodes=200"]
percent = [50]
)";

PlannedStudy planned(const std::string& text = kSmallStudy) {
  Declaration declaration = parse_declaration(text, "small.toml", false).value();
  std::vector<Cell> cells = expand(declaration).value();
  return {std::move(declaration), std::move(cells)};
}

// A study that was run.
struct Executed {
  explicit Executed(const std::string& text) : study(planned(text)) {
    EXPECT_TRUE(execute({study}, load_shelf({study}, {}).value(), store, {}));
    evaluated = report::evaluate(study, store).value();
  }
  test::TemporaryFolder folder;
  PlannedStudy study;
  RecordStore store = RecordStore::open(folder / "a").value();
  report::EvaluatedStudy evaluated;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Everything but times.
std::map<std::pair<std::string, std::uint64_t>, std::map<std::string, double>> content(
    const RecordStore& store, const report::EvaluatedStudy& study) {
  std::map<std::pair<std::string, std::uint64_t>, std::map<std::string, double>> all;
  for (const report::EvaluatedCell& cell : study.cells) {
    for (const Record* record : cell.runs) all[{record->key, record->run}] = record->metrics;
  }
  EXPECT_GE(store.size(), all.size());
  return all;
}

TEST(Experiment, AnyNumberOfJobsGivesTheSameRecordsAndNothingIsRepeated) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned();
  const Shelf shelf = load_shelf({study}, {}).value();
  RecordStore one = RecordStore::open(folder / "one").value();
  RecordStore three = RecordStore::open(folder / "three").value();
  ExecuteOptions options;
  options.jobs = 1;
  double last = 0;
  options.progress = [&](const StudyProgress& progress) {
    EXPECT_GE(progress.done, last);
    EXPECT_LE(progress.done, progress.total * (1 + 1e-9));
    last = progress.done;
  };
  const ExecuteResult first = execute({study}, shelf, one, options).value();
  EXPECT_EQ(first.runs, one.size());
  EXPECT_FALSE(first.stopped);
  options.jobs = 3;
  options.progress = {};
  ASSERT_TRUE(execute({study}, shelf, three, options));
  const report::EvaluatedStudy a = report::evaluate(study, one).value();
  const report::EvaluatedStudy b = report::evaluate(study, three).value();
  EXPECT_EQ(content(one, a), content(three, b));
  EXPECT_EQ(a.runs_there(), a.runs_wanted());
  EXPECT_EQ(execute({study}, shelf, one, options)->runs, 0u);

  // Values are chosen without a look at test parts.
  for (const std::string& line : lines_of(test::content_of(folder / "one" / "results.jsonl"))) {
    const bool selection = line.find("\"run\":100") != std::string::npos;
    EXPECT_EQ(line.find("\"accuracy\"") == std::string::npos, selection) << line;
  }

  // The clean features know nothing of epsilon: one setting, two cells.
  const report::EvaluatedCell* clean = a.find({{{"method", {"nonpriv"}}, {"epsilon", {"0.1"}}, {"scale", {"raw"}}}});
  const report::EvaluatedCell* again = a.find({{{"method", {"nonpriv"}}, {"epsilon", {"1"}}, {"scale", {"raw"}}}});
  ASSERT_TRUE(clean != nullptr && again != nullptr);
  EXPECT_EQ(clean->runs[0], again->runs[0]);
}

TEST(Experiment, AStudyCutAnywhereContinuesToTheSameEnd) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned();
  const Shelf shelf = load_shelf({study}, {}).value();
  {
    RecordStore whole = RecordStore::open(folder / "whole").value();
    ASSERT_TRUE(execute({study}, shelf, whole, {}));
  }
  const RecordStore whole = RecordStore::read(folder / "whole").value();
  const auto expected = content(whole, report::evaluate(study, whole).value());
  const std::string text = test::content_of(folder / "whole" / "results.jsonl");
  for (const double share : {.02, .4, .9}) {
    test::write_content(folder / "cut" / "results.jsonl",
                        text.substr(0, static_cast<std::size_t>(share * static_cast<double>(text.size()))));
    RecordStore cut = RecordStore::open(folder / "cut").value();
    const std::size_t before = cut.size();
    const ExecuteResult result = execute({study}, shelf, cut, {}).value();
    EXPECT_EQ(before + result.runs, whole.size()) << share;
    EXPECT_EQ(content(cut, report::evaluate(study, cut).value()), expected) << share;
  }
}

TEST(Experiment, ARunIsTheOneOfPpgnnRun) {
  const Executed executed(
      "id = \"x\"\nruns = 2\n[factors]\ndata = \"synthetic:social,nodes=200\"\nmethod = [\"strict\", "
      "\"teach-control\", "
      "\"clean\"]\nepochs = 10\nepsilon = 1");
  const report::EvaluatedStudy& evaluated = executed.evaluated;
  const StudyData data = study_data(graph::load("synthetic:social,nodes=200", {}).value()).value();
  const CellResult direct = run_cell(data, {{"epochs", "10"}}, 2, true, {}).value();
  EXPECT_EQ(evaluated.cells[0].values("log_loss"), direct.method.log_loss);
  EXPECT_EQ(evaluated.cells[1].values("log_loss"), direct.control->log_loss);
  EXPECT_EQ(evaluated.cells[2].values("log_loss"), direct.nonprivate->log_loss);
  EXPECT_EQ(evaluated.cells[0].values("privacy_max")[0], direct.method.privacy.max);
}

// Runs share reports only where the reports are the same.
TEST(Experiment, EveryFactorOfTheReportsHasReportsOfItsOwn) {
  const std::string data = "synthetic:social,nodes=200";
  for (const auto& [factor, values] :
       std::vector<std::pair<std::string, std::array<std::string, 2>>>{{"epsilon", {"1", "2"}},
                                                                       {"levels", {"strict", "relaxed"}},
                                                                       {"h", {"2", "3"}},
                                                                       {"gamma", {"0.2", "0.8"}},
                                                                       {"m", {"2", "5"}},
                                                                       {"operator", {"kprop", "flexprop"}},
                                                                       {"method", {"paper", "ppm*"}},
                                                                       {"backbone", {"gcn", "sage"}}}) {
    const Executed executed("id = \"x\"\nruns = 1\n[factors]\nepochs = 5\ndata = \"" + data + "\"\n" +
                            (factor == "method" ? "" : "method = \"paper\"\n") + factor + " = [\"" + values[0] +
                            "\", \"" + values[1] + "\"]");
    const report::EvaluatedStudy& evaluated = executed.evaluated;
    ASSERT_EQ(evaluated.cells.size(), 2u);
    EXPECT_NE(evaluated.cells[0].values("log_loss"), evaluated.cells[1].values("log_loss")) << factor;
    for (const report::EvaluatedCell& cell : evaluated.cells) {
      const StudyData alone = study_data(graph::load(data, {}).value()).value();
      const auto direct = measure(alone, {{cell.cell.canonical}}, 1, {}).value();
      EXPECT_EQ(cell.values("log_loss")[0], direct[0].runs[0].metrics.at("log_loss")) << factor;
    }
  }
}

TEST(Experiment, StopLeavesWholeRunsOnly) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned();
  const Shelf shelf = load_shelf({study}, {}).value();
  RecordStore store = RecordStore::open(folder / "a").value();
  std::atomic<bool> stop = false;
  ExecuteOptions options;
  options.jobs = 2;
  options.stop = &stop;
  options.progress = [&](const StudyProgress& progress) { stop = progress.runs >= 3; };
  const ExecuteResult result = execute({study}, shelf, store, options).value();
  EXPECT_TRUE(result.stopped);
  EXPECT_GE(result.runs, 3u);
  EXPECT_EQ(store.size(), result.runs);
  EXPECT_EQ(RecordStore::read(folder / "a")->size(), result.runs);
}

TEST(Experiment, ChoiceIsByValidationLossOnRunsOfItsOwn) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  const Setting base = canonical({{"method", "control"}}).value();
  const Cell cell{base, base, 1};
  Selection selection;
  selection.grid = {{"scale", {"0.1", "1"}}, {"hops", {"2", "4", "8"}}};
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  // Six candidates: a tenth of the epochs for all, four in full, the best two of those.
  const auto answer = [&](const Choice& choice, const auto& loss) {
    for (const StudyTask& task : choice.tasks) {
      EXPECT_GE(task.run, kFirstSelectionRun);
      ASSERT_TRUE(store.append({task.key,
                                task.run,
                                task.setting,
                                {{"validation_loss", loss(task.setting)}, {"accuracy", 1 - loss(task.setting)}},
                                0}));
    }
  };
  Choice choice = choose(cell, selection, {}, key, store).value();
  EXPECT_EQ(choice.candidates, 6u);
  ASSERT_EQ(choice.tasks.size(), 6u);
  EXPECT_EQ(choice.tasks[0].setting.at("epochs"), "50");
  answer(choice, [](const Setting& setting) {
    return setting.at("hops") == "8" ? .1 : setting.at("scale") == "1" ? .5 : .9;
  });
  choice = choose(cell, selection, {}, key, store).value();
  ASSERT_EQ(choice.tasks.size(), 4u);
  for (const StudyTask& task : choice.tasks) {
    EXPECT_TRUE(task.setting.at("hops") == "8" || task.setting.at("scale") == "1") << text_of(task.setting);
    EXPECT_EQ(task.setting.at("epochs"), "500");
  }
  answer(choice, [](const Setting& setting) {
    return setting.at("hops") != "8" ? .9 : setting.at("scale") == "1" ? .2 : .3;
  });
  choice = choose(cell, selection, {}, key, store).value();
  ASSERT_TRUE(choice.setting);
  EXPECT_EQ(choice.setting->at("hops"), "8");
  EXPECT_EQ(choice.setting->at("scale"), "1");
  // What the study varies itself, and a raw scale, are not chosen.
  EXPECT_EQ(choose(cell, selection, {{"hops", {"2"}}}, key, store)->candidates, 2u);
  Cell raw = cell;
  raw.canonical["scale"] = "raw";
  EXPECT_EQ(choose(raw, selection, {{"hops", {"2"}}}, key, store)->candidates, 0u);
}

TEST(Experiment, ManyCandidatesAreHalvedTo24thsAnd96ths) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  const Setting base = canonical({{"method", "paper"}, {"scale", "common"}}).value();
  Selection selection;
  selection.runs = 3;
  selection.grid = {{"learning_rate", {"0.01", "0.001"}},   {"weight_decay", {"0.01", "0.001", "0.0001"}},
                    {"dropout", {"0.5", "0.75"}},           {"hops", {"2", "4", "8", "16"}},
                    {"scale", {"0.03", "0.1", "0.3", "1"}}, {"gamma", {"0.1", "0.5", "0.9"}}};
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  std::vector<std::size_t> tasks;
  std::vector<std::size_t> later;
  Choice choice = choose({base, base, 1}, selection, {}, key, store).value();
  for (; !choice.setting; choice = choose({base, base, 1}, selection, {}, key, store).value()) {
    tasks.push_back(choice.tasks.size());
    later.push_back(choice.later);
    for (std::size_t i = 0; i < choice.tasks.size(); ++i) {
      const StudyTask& task = choice.tasks[i];
      ASSERT_TRUE(store.append({task.key, task.run, task.setting, {{"validation_loss", static_cast<double>(i)}}, 0}));
    }
  }
  // In the last round the first of three runs is there.
  EXPECT_EQ(tasks, (std::vector<std::size_t>{576, 24, 6 * 2}));
  EXPECT_EQ(later, (std::vector<std::size_t>{24 + 6 * 3, 6 * 3, 0}));
}

TEST(Experiment, WhatARuleSetsIsNotChosen) {
  Declaration declaration = parse_declaration(kSmallStudy, "small.toml", false).value();
  declaration.rules.push_back({{{{"method", {"strict"}}}}, false, {}, {{"hops", "3"}}});
  const test::TemporaryFolder folder;
  const RecordStore store = RecordStore::open(folder / "a").value();
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  const std::vector<Cell> cells = expand(declaration).value();
  for (const Cell& cell : cells) {
    if (value_of(cell.factors, "scale") != "common" || value_of(cell.factors, "method") == "nonpriv") continue;
    const Choice choice = choose(cell, declaration.select, declaration.factors, key, store).value();
    const bool given = value_of(cell.factors, "method") == "strict";
    EXPECT_EQ(choice.candidates, given ? 2u : 6u) << text_of(cell.factors);
    if (given) {
      EXPECT_EQ(choice.tasks.front().setting.at("hops"), "3");
    }
  }
}

TEST(Experiment, OfTwoBudgetsAsNearTheFirstDecides) {
  const test::TemporaryFolder folder;
  const RecordStore store = RecordStore::open(folder / "a").value();
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  // In doubles, .03 / .3 and 3 / .3 are not quite as far from 1.
  const Setting base = canonical({{"method", "strict"}, {"epsilon", "0.3"}}).value();
  Selection selection;
  selection.grid = {{"hops", {"2", "4"}}};
  for (const std::string first : {"0.03", "3"}) {
    selection.epsilon = {first, first == "3" ? "0.03" : "3"};
    EXPECT_EQ(choose({base, base, 1}, selection, {}, key, store)->tasks.front().setting.at("epsilon"), first);
  }
}

TEST(Experiment, TheControlSpendsNothing) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned();
  const Shelf shelf = load_shelf({study}, {}).value();
  RecordStore store = RecordStore::open(folder / "a").value();
  ASSERT_TRUE(execute({study}, shelf, store, {}));
  const report::EvaluatedStudy evaluated = report::evaluate(study, store).value();
  std::size_t controls = 0;
  for (const report::EvaluatedCell& cell : evaluated.cells) {
    const bool control = value_of(cell.cell.factors, "method") == "control";
    const bool clean = value_of(cell.cell.factors, "method") == "nonpriv";
    controls += static_cast<std::size_t>(control);
    for (const Record* run : cell.runs) {
      EXPECT_EQ(run->metrics.contains("privacy_max"), !clean);
      if (!clean) {
        EXPECT_EQ(run->metrics.at("privacy_max") == 0, control) << text_of(cell.cell.factors);
      }
      EXPECT_EQ(run->data, short_checksum(shelf.begin()->second->checksum));
    }
  }
  EXPECT_GT(controls, 0u);
  // Against the budget spent it is a line from end to end.
  const std::string script =
      report::make_figure(evaluated, study.declaration.figures.front(), report::Against::mean).script;
  EXPECT_EQ(script.find("\n0 "), std::string::npos) << script;  // a logarithmic axis has no 0
}

TEST(Report, SaysWhenThereIsNoControl) {
  const test::TemporaryFolder folder;
  PlannedStudy study = planned();
  std::erase_if(study.cells, [](const Cell& cell) { return value_of(cell.factors, "method") != "nonpriv"; });
  RecordStore store = RecordStore::open(folder / "a").value();
  for (const Cell& cell : study.cells) {
    ASSERT_TRUE(store.append({key_of(cell.canonical, {}), 0, cell.canonical, {{"accuracy", .5}}, 0}));
  }
  study.declaration.select = {};
  ASSERT_TRUE(report::write_report({report::evaluate(study, store).value()}, folder / "a", {}));
  const std::string html = test::content_of(folder / "a" / "report.html");
  EXPECT_NE(html.find(">" + std::to_string(study.cells.size()) + " settings have no control beside them"),
            std::string::npos);
}

TEST(Experiment, SomeSettingsMayChooseAmongMore) {
  const test::TemporaryFolder folder;
  const RecordStore store = RecordStore::open(folder / "a").value();
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  Selection selection;
  selection.grid = {{"hops", {"2", "4"}}};
  selection.rules = {{{{{"method", {"control"}}}}, {{"hops", {"0", "2", "4"}}, {"operator", {"own", "kprop"}}}}};
  for (const auto& [method, candidates, open] :
       {std::tuple("strict", 2u, std::vector<std::string>{"hops"}),
        std::tuple("control", 6u, std::vector<std::string>{"hops", "operator"})}) {
    const Setting base = canonical({{"method", method}}).value();
    const Choice choice = choose({base, base, 1}, selection, {}, key, store).value();
    EXPECT_EQ(choice.candidates, candidates);
    EXPECT_EQ(choice.open, open);
  }
}

// Reports of every column are tuned elsewhere, but for a common scale and the hops with it.
TEST(Experiment, ScaleAndHopsAreChosenWhereTheyAreUsed) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  Selection selection;
  selection.runs = 2;
  selection.dense_on = "cora";
  selection.grid = {{"hops", {"2", "4", "8"}}, {"scale", {"0.1", "1"}}, {"dropout", {"0.25", "0.5"}}};
  const Setting base = canonical({{"method", "gm"}, {"data", "pubmed"}}).value();
  std::vector<std::size_t> tasks;
  Choice choice = choose({base, base, 1}, selection, {}, key, store).value();
  EXPECT_EQ(choice.later, 2 * (4 + 2 * 2u));  // in full, on both
  for (; !choice.setting; choice = choose({base, base, 1}, selection, {}, key, store).value()) {
    tasks.push_back(choice.tasks.size());
    for (const StudyTask& task : choice.tasks) {
      const bool here = task.setting.at("data") == "pubmed";
      EXPECT_EQ(here, tasks.size() > 3);
      if (here) {
        EXPECT_EQ(task.setting.at("dropout"), "0.25");
      }
      // On cora scale .1, 2 hops and dropout .25 are best, on pubmed the others of each.
      const double loss = std::stod(task.setting.at("hops")) / 8 + (task.setting.at("scale") == "0.1" ? 0 : 2) +
                          (task.setting.at("dropout") == "0.25" ? 0 : 4);
      ASSERT_TRUE(store.append({task.key, task.run, task.setting, {{"validation_loss", here ? -loss : loss}}, 0}));
    }
  }
  EXPECT_EQ(tasks, (std::vector<std::size_t>{12, 4, 2, 6, 4, 2}));
  EXPECT_EQ(choice.candidates, 12u);
  EXPECT_EQ(choice.setting->at("data"), "pubmed");
  EXPECT_EQ(choice.setting->at("hops"), "8");
  EXPECT_EQ(choice.setting->at("scale"), "1");
  EXPECT_EQ(choice.setting->at("dropout"), "0.25");
  EXPECT_EQ(choice.carried, std::vector<std::string>{"dropout"});
  // At the raw scale everything is carried over.
  const Setting raw = canonical({{"method", "gm"}, {"data", "pubmed"}, {"scale", "raw"}}).value();
  const Choice carried = choose({raw, raw, 1}, selection, {}, key, store).value();
  EXPECT_EQ(carried.tasks.front().setting.at("data"), "cora");
  EXPECT_EQ(carried.later, 4 + 2 * 2u);
  EXPECT_EQ(carried.carried, (std::vector<std::string>{"hops", "dropout"}));
  // Where it is tuned, nothing is.
  const Setting there = canonical({{"method", "gm"}, {"data", "cora"}}).value();
  EXPECT_TRUE(choose({there, there, 1}, selection, {}, key, store)->carried.empty());
}

TEST(Experiment, AFailedChoiceIsTheLast) {
  const test::TemporaryFolder folder;
  RecordStore store = RecordStore::open(folder / "a").value();
  const Setting base = canonical({{"method", "control"}}).value();
  Selection selection;
  selection.grid = {{"scale", {"0.1", "1"}}};
  const auto key = [](const Setting& setting) { return key_of(setting, {}); };
  const Choice open = choose({base, base, 1}, selection, {}, key, store).value();
  ASSERT_EQ(open.tasks.size(), 2u);
  ASSERT_TRUE(store.append({open.tasks[0].key, open.tasks[0].run, open.tasks[0].setting, {{"failed", 1}}, 0}));
  ASSERT_TRUE(store.append({open.tasks[1].key, open.tasks[1].run, open.tasks[1].setting, {{"validation_loss", 9}}, 0}));
  EXPECT_EQ(choose({base, base, 1}, selection, {}, key, store)->setting->at("scale"), "1");
}

// Campaigns share one structure model a run, and are the ones that `run` plays.
TEST(Execute, CampaignsAreThoseOfRun) {
  const Executed done(R"(
id = "asked"
title = "Asked"
runs = 2
[factors]
data = ["synthetic:social,nodes=300,attributes=32"]
epsilon = [2]
method = ["teach-control", "teach", "teach-public"]
[[table]]
rows = ["method"]
columns = ["epsilon"]
)");
  const graph::Dataset dataset = graph::load("synthetic:social,nodes=300,attributes=32", {}).value();
  const CellResult result =
      run_cell(study_data(dataset).value(), {{"method", "teach"}, {"epsilon", "2"}}, 2, false, {}).value();
  for (const auto& [name, series] : {std::pair("teach-control", &*result.control), std::pair("teach", &result.method),
                                     std::pair("teach-public", &*result.in_public)}) {
    const Setting setting =
        canonical({{"data", "synthetic:social,nodes=300,attributes=32"}, {"method", name}, {"epsilon", "2"}}).value();
    for (std::uint64_t run = 0; run < 2; ++run) {
      const Record* record = done.store.find(key_of(setting, graph::checksum(dataset)), run);
      ASSERT_NE(record, nullptr) << name;
      EXPECT_EQ(record->metrics.at("accuracy"), series->accuracy[run]);
      EXPECT_EQ(record->metrics.at("log_loss"), series->log_loss[run]);
      EXPECT_LE(record->metrics.at("privacy_max"), 32);
    }
  }
}

// What an oracle reaches has no privacy to tell of, and says what each estimator came to.
TEST(Execute, OraclesAreCampaignsWithoutPrivacy) {
  const Executed done(R"(
id = "oracles"
title = "Oracles"
runs = 1
[factors]
data = ["synthetic:social,nodes=300,attributes=32"]
epsilon = [2]
method = ["teach-public", "teach-marked", "teach-counted", "teach-clean"]
[[table]]
rows = ["method"]
columns = ["epsilon"]
)");
  const graph::Dataset dataset = graph::load("synthetic:social,nodes=300,attributes=32", {}).value();
  const auto metrics = [&](const char* method) -> const std::map<std::string, double>& {
    const Setting setting =
        canonical({{"data", "synthetic:social,nodes=300,attributes=32"}, {"method", method}, {"epsilon", "2"}}).value();
    return done.store.find(key_of(setting, graph::checksum(dataset)), 0)->metrics;
  };
  EXPECT_TRUE(metrics("teach-public").contains("privacy_holds"));
  EXPECT_FALSE(metrics("teach-public").contains("marked_words"));
  for (const char* oracle : {"teach-marked", "teach-counted", "teach-clean"}) {
    EXPECT_FALSE(metrics(oracle).contains("privacy_holds")) << oracle;
    EXPECT_FALSE(metrics(oracle).contains("privacy_mean")) << oracle;
    EXPECT_EQ(metrics(oracle).at("teachers"), metrics("teach-public").at("teachers"));
  }
  EXPECT_GT(metrics("teach-marked").at("marked_words"), 0);
  EXPECT_EQ(metrics("teach-marked").at("reports.log_loss"), metrics("teach-public").at("log_loss"));
  EXPECT_LE(metrics("teach-marked").at("log_loss"), metrics("teach-marked").at("compound-weights.log_loss"));
}

TEST(Report, IsSelfContainedAndComplete) {
  const test::TemporaryFolder folder;
  const PlannedStudy study = planned();
  const Shelf shelf = load_shelf({study}, {}).value();
  RecordStore store = RecordStore::open(folder / "a").value();
  ASSERT_TRUE(execute({study}, shelf, store, {}));
  const std::vector<report::EvaluatedStudy> evaluated{report::evaluate(study, store).value()};
  report::ReportOptions options;
  options.commands = {"ppgnn study run small.toml"};
  for (const report::Against against : {report::Against::mean, report::Against::max, report::Against::epsilon}) {
    options.against = against;
    const Result<void> written = report::write_report(evaluated, folder / "a", options);
    ASSERT_TRUE(written) << written.error().message;
  }
  const std::string html = test::content_of(folder / "a" / "report.html");
  for (const char* words :
       {"A &lt;small&gt; study", "<svg", "Privacy spent", "NOT protected: research only", "Control", "NonPriv",
        "Values chosen by validation", "strict beats the paper", "ppgnn study run small.toml", "Runs by ppgnn ",
        "instruction set", "numerics ", "www.w3.org/2000/svg", "where method = control; scale = raw; left out",
        "chosen by validation, at epsilon 1, last round of 1 run:"}) {
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
  for (const char* words : {"http-equiv", "<script", "src=", "nan"})
    EXPECT_EQ(html.find(words), std::string::npos) << words;
  for (const char* file : {"figures/small.svg", "figures/small.pdf", "tables/small.csv", "tables/small.tex",
                           "tables/claims.csv", "tables/paper.csv", "tables/comparisons.csv"}) {
    EXPECT_GT(test::content_of(folder / "a" / file).size(), 50u) << file;
  }
  const report::Findings findings = report::find_all(evaluated);
  ASSERT_EQ(findings.claims.size(), 4u);  // two, at two scales
  // More than the views list: rows and panels of their own, nothing dropped.
  PlannedStudy two = planned();
  apply({{{"backbone", {"gcn", "sage"}}}, {}}, two.declaration);
  two.cells = expand(two.declaration).value();
  const report::EvaluatedStudy wider = report::evaluate(two, store).value();
  const report::Table table = report::make_table(wider, two.declaration.tables[0]);
  EXPECT_EQ(table.head[0], "backbone");
  // Only what changes the budget can be drawn against it.
  FigureView view = study.declaration.figures[0];
  EXPECT_NE(report::make_figure(evaluated[0], view, report::Against::mean).script.find("mean budget spent"),
            std::string::npos);
  view.panels = {"epsilon"};
  view.x = "scale";
  EXPECT_EQ(report::make_figure(evaluated[0], view, report::Against::mean).script.find("mean budget spent"),
            std::string::npos);
  EXPECT_EQ(findings.claims[2].verdict, report::ClaimOutcome::Verdict::holds);
  EXPECT_EQ(findings.printed.size(), 2u);
}

}  // namespace
}  // namespace ppgnn::study
