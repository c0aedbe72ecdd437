// Every allocation of the calls behind `plan`, `perturb`, `train`, `predict` and the readers fails once: the caller gets
// std::bad_alloc or a Result, never the end of the process, and under the address sanitizer nothing is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "parts.hpp"
#include "ppgnn/client/client.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/graph/musae.hpp"
#include "ppgnn/graph/npz.hpp"
#include "ppgnn/graph/plain.hpp"
#include "ppgnn/graph/planetoid.hpp"
#include "ppgnn/graph/stored_graph.hpp"
#include "ppgnn/ldp/estimate.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/nn/backbones.hpp"
#include "ppgnn/plan_files/plan_files.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/server/report_files.hpp"
#include "ppgnn/server/served_model.hpp"
#include "ppgnn/server/training.hpp"
#include "support/allocations.hpp"
#include "support/datasets.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn {
namespace {

using test::Survived;

constexpr std::size_t kEvery = 5000;  // every allocation up to here
constexpr int kRandom = 50;           // and this many beyond

// Fails the allocations of `body` one at a time: the first `every` of them, and random ones beyond. `body` says whether
// its results were good; without a failure they must be.
void survive_all(const char* what, const std::function<bool()>& body, std::size_t every = kEvery) {
  bool good = false;
  const auto run = [&] { good = body(); };
  run();  // what is made once, on first use, is made here
  ASSERT_TRUE(good) << what;
  const std::size_t count = test::count_allocations(run);
  ASSERT_GT(count, 0u) << what;
  std::size_t thrown = 0;
  const auto fails = [&](std::size_t number) {
    const Survived survived = test::survive(number, run);
    thrown += survived == Survived::thrown ? 1U : 0U;
    return survived != Survived::without;
  };
  std::size_t number = 0;
  while (number < every && fails(number)) ++number;
  if (number == every && count > every) {
    std::mt19937_64 bits(17);  // any seed must pass
    for (int i = 0; i < kRandom; ++i) fails(every + bits() % (count - every));
  }
  EXPECT_GT(thrown, 0u) << what;
  good = false;
  run();
  EXPECT_TRUE(good) << what << ": after all that";
}

graph::Dataset people() {
  return graph::generate_social({.nodes = 40, .attributes = 12}).value();
}

ldp::Plan plan_for(const graph::Dataset& data) {
  ldp::PlanRequest request;
  request.columns = population::columns_of(data.features.schema()).value();
  request.budgets = {1, 2};
  return test::plan_of(request);
}

// What `ppgnn perturb` writes, and what the steps after it read.
struct Prepared {
  test::TemporaryFolder folder;
  graph::Dataset data = people();
  ldp::Plan plan = plan_for(data);
  std::vector<ldp::NodeReport> reports;
  graph::Split split = graph::make_split(data, 1, 0).value();
  server::PipelineOptions options;

  Prepared() {
    const std::vector<ldp::Level> levels(data.num_nodes(), ldp::Level{1});
    const population::PlanRows rows(data.features, plan);
    const auto made = population::device_reports(plan, rows, data.nodes, levels).value();
    EXPECT_TRUE(server::write_reports(folder / "reports", data, made).ok());
    reports = server::read_reports(folder / "reports", data, plan).value();
    options.hops = 2;
    options.scales = {.3};
    options.training.epochs = 3;
  }

  // Half of it, then the rest from its checkpoint, where one is `kept`; that costs flushes to the disk.
  [[nodiscard]] Result<server::ServedModel> train(bool kept = true) const {
    const Result<server::Problem> problem = server::Problem::make(data);
    if (!problem) return problem.error();
    const auto collected = calibrate::collect(problem->order(), plan, reports);
    if (!collected) return collected.error();
    const std::filesystem::path state = kept ? folder / "state" : std::filesystem::path();
    server::PipelineOptions shorter = options;
    --shorter.training.epochs;
    const auto begun = server::calibrate_and_train(*problem, *collected, split, shorter, {},
                                                   {.file = state, .every = 0, .resume = false});
    if (!begun) return begun.error();
    const auto trained = server::calibrate_and_train(*problem, *collected, split, options, {},
                                                     {.file = state, .every = 0, .resume = true});
    if (!trained) return trained.error();
    server::ServedModel model;
    model.network = {
        options.training.network, ldp::Estimator(plan.tables()).columns(), data.num_classes(), trained->parameters, {}};
    model.plan_hash = to_hex(plan.hash());
    model.hops = options.hops;
    model.factor = trained->factor;
    for (std::size_t i = 0; i < data.num_classes(); ++i) model.classes.emplace_back(data.class_names[i]);
    if (!kept) return model;
    if (const auto written = server::write_served_model(model, folder / "model"); !written) return written.error();
    return model;
  }
};

TEST(FailingAllocations, Plan) {
  const test::TemporaryFolder folder;
  const std::string schema = "name,count,kind,low,high,absent\nword,20,binary,0,1,0\nage,1,number,0,99,0\n";
  survive_all("plan", [&] {
    auto columns = plan_files::parse_schema({"schema", schema});
    if (!columns) return false;
    ldp::PlanRequest request;
    request.columns = std::move(columns).value();
    request.budgets = {1, 2, 4};
    const auto plan = ldp::make_plan(request);
    return plan.ok() && ldp::Plan::parse(plan->text()).ok();
  });
}

// A report that is made where another one was allocates nothing, of any kind.
TEST(Allocations, ThereAreNoneInAReportAfterTheFirst) {
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    const test::Person person(plan);
    const std::vector<std::uint32_t> none;
    random::SecureSource bits;
    ldp::Report report;
    const auto make = [&] { ldp::perturb(plan, ldp::Level{2}, ldp::Row::ones(none), person.asked(), bits, report); };
    make();
    EXPECT_EQ(test::count_allocations(make), 0u) << to_text(kind);
  }
}

TEST(FailingAllocations, Perturb) {
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    const test::Person person(plan);
    survive_all("perturb", [&] {
      auto device = client::Client::make(plan.text());
      if (!device) return false;
      device->set_person("ana");
      if (person.question && !device->set_question(person.question->bytes()).ok()) return false;
      const auto report = device->report(ldp::Level{2}, ldp::Row::ones({}), 0);
      return report.ok() && !device->report(ldp::Level{3}, ldp::Row::ones({}), 0).ok();
    });
  }
  const Prepared prepared;
  const std::vector<ldp::Level> levels(prepared.data.num_nodes(), ldp::Level{1});
  for (const std::size_t count : {1u, 2u}) {
    const kernels::Threads threads(count);
    survive_all("perturb, everybody", [&] {
      const auto made = population::seeded_reports(
          prepared.plan, {&prepared.data.features, levels, 1, 0, population::Content::features}, threads);
      return server::write_reports(prepared.folder / "out", prepared.data, made).ok() &&
             server::read_reports(prepared.folder / "out", prepared.data, prepared.plan,
                                  {.round = {}, .allow_seeded = true})
                 .ok();
    });
  }
}

TEST(FailingAllocations, Train) {
  for (const nn::Backbone& backbone : nn::backbones()) {
    Prepared prepared;
    prepared.options.training.network.backbone = &backbone;
    survive_all("train", [&] { return prepared.train(false).ok(); });
  }
  Prepared prepared;
  survive_all("train with a checkpoint", [&] { return prepared.train().ok(); });
  prepared.options.training.threads = 2;
  survive_all("train on two threads", [&] { return prepared.train(false).ok(); });
}

TEST(FailingAllocations, Predict) {
  const Prepared prepared;
  ASSERT_TRUE(prepared.train().ok());
  survive_all("predict", [&] {
    const auto model = server::read_served_model(prepared.folder / "model");
    if (!model) return false;
    const auto data = server::for_prediction(*model, prepared.data);
    if (!data) return false;
    const auto problem = server::Problem::make(*data);
    return problem.ok() && server::predict(*model, *problem, prepared.plan, prepared.reports, 1).ok();
  });
}

// More allocations than can all be tried.
TEST(FailingAllocations, RandomOnesOfMany) {
  const graph::Dataset data = graph::generate_social({.nodes = 1500}).value();
  const ldp::Plan plan = plan_for(data);
  const std::vector<ldp::Level> levels(data.num_nodes(), ldp::Level{2});
  for (const std::size_t count : {1u, 2u}) {
    const kernels::Threads threads(count);
    const auto run = [&] {
      return population::seeded_reports(plan, {&data.features, levels, 1, 0, population::Content::features}, threads)
                 .size() == data.num_nodes();
    };
    EXPECT_GT(test::count_allocations(run), kEvery);
    survive_all("perturb, many", run, 20);
  }
  survive_all(
      "generator", [] { return graph::load("synthetic:social,nodes=3000", {}).ok(); }, 20);
}

// The first seed of every fuzz target that reads data is a small data set of its form.
std::string seed_of(const char* form) {
  return test::content_of(std::filesystem::path(PPGNN_SOURCE_DIR) / "fuzz/corpus" / form / "0");
}

template <std::size_t Count>
std::array<std::string_view, Count> parts_of(const std::string& seed) {
  return fuzz::parts<Count>(reinterpret_cast<const std::uint8_t*>(seed.data()), seed.size());
}

TEST(FailingAllocations, Readers) {
  const std::string npz = seed_of("npz");
  survive_all("npz", [&] { return graph::parse_npz({"f.npz", npz}, "f").ok(); });
  const std::string musae = seed_of("musae");
  const auto three = parts_of<3>(musae);
  survive_all("musae", [&] {
    return graph::parse_musae({{"edges", three[0]}, {"target", three[1]}, io::NamedBytes{"features", three[2]}}, "f")
        .ok();
  });
  const std::string planetoid = seed_of("planetoid");
  const auto six = parts_of<6>(planetoid);
  survive_all("planetoid", [&] {
    return graph::parse_planetoid({{"allx", six[0]},
                                   {"ally", six[1]},
                                   {"tx", six[2]},
                                   {"ty", six[3]},
                                   {"graph", six[4]},
                                   {"test.index", six[5]}},
                                  "f")
        .ok();
  });
  const test::TemporaryFolder folder;
  const graph::Dataset small = test::small_dataset();
  survive_all("store", [&] {
    return graph::write_stored_graph(small, folder / "s").ok() && graph::load((folder / "s").string(), {}).ok();
  });
  survive_all("generator", [] { return graph::load("synthetic:social,nodes=30", {}).ok(); });
  test::write_content(folder / "plain/edges.csv", "a,b\nb,c\nc,a\n");
  test::write_content(folder / "plain/labels.csv", "node,class\na,x\nb,y\nc,x\n");
  survive_all("plain", [&] {
    return graph::load((folder / "plain").string(),
                       {.data_folder = {}, .missing_features = graph::MissingFeatures::accept})
        .ok();
  });
}

}  // namespace
}  // namespace ppgnn
