// The steps of a campaign, over places that the test plays.
#include "ppgnn/campaign/steps.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <utility>

#include "ppgnn/campaign/folder.hpp"
#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/report_files.hpp"
#include "support/plans.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::campaign {
namespace {

using ldp::Role;

State state_of(std::vector<std::optional<Role>> roles, bool open, bool concluded = false) {
  State state{"spring", {}, concluded, {}, {}};
  const ldp::Plan plan = test::plan_of(test::signs_request({1}, 4));  // what is next does not depend on it
  for (const auto& role : roles) state.rounds.push_back({role, plan, false, 3, {}});
  state.rounds.back().open = open;
  return state;
}

TEST(NextStep, FollowsFromHowTheLastRoundStands) {
  EXPECT_EQ(next_step(state_of({Role::teach}, true)), Next::reports);
  EXPECT_EQ(next_step(state_of({Role::teach}, false)), Next::ask);
  EXPECT_EQ(next_step(state_of({Role::teach, Role::pilot}, false)), Next::ask);
  EXPECT_EQ(next_step(state_of({Role::teach, Role::answer}, true)), Next::reports);
  EXPECT_EQ(next_step(state_of({Role::teach, Role::pilot, Role::answer}, false)), Next::train);
  EXPECT_EQ(next_step(state_of({std::nullopt}, false)), Next::train) << "one round, and no questions";
  EXPECT_EQ(next_step(state_of({Role::teach, Role::answer}, false, true)), Next::predict);
}

// A small network, what the graph says of it, and everybody's device.
class Steps : public testing::Test {
 protected:
  Steps() : data_(graph::generate_social({.nodes = 300, .attributes = 30, .signal = .6}).value()) {
    split_ = graph::make_split(data_, 0, 0).value();
    structure_ = [this](const graph::Split&) -> Result<teach::Beliefs> {
      teach::Beliefs beliefs{data_.num_classes(), {}};
      beliefs.values.assign(data_.num_nodes() * beliefs.classes, .2F);  // four classes
      for (std::size_t node = 0; node < data_.num_nodes(); ++node) beliefs.of(node)[node % beliefs.classes] = .4F;
      return beliefs;
    };
  }

  [[nodiscard]] ldp::PlanRequest request(std::vector<double> budgets) const {
    ldp::PlanRequest request;
    request.columns = population::columns_of(data_.features.schema()).value();
    request.budgets = std::move(budgets);
    return request;
  }
  // What the devices of the people of a folder's round send, from a seed.
  [[nodiscard]] std::vector<wire::EncodedReport> reports_of(const FolderFiles& files, Role role) const {
    std::ifstream text(files.plan(role));
    const ldp::Plan plan = ldp::Plan::parse(std::string(std::istreambuf_iterator<char>(text), {})).value();
    const auto list = server::PeopleList::read(files.people(role), plan).value();
    ldp::Questions questions;
    if (plan.tables().model) questions = server::read_questions(files.questions(role), data_, plan).value();
    const auto levels =
        population::choose_levels(population::LevelChoice::uniform, data_.num_nodes(), plan.levels().size(), 0, 0);
    const auto reporting = server::reporting(&list, data_.nodes, {}).value();
    const population::Asking asking(plan, data_.nodes, questions);
    const population::Devices devices{&data_.features, levels, 7, 0, population::Content::features, &asking, reporting};
    return population::seeded_reports(plan, devices, kernels::Threads(1));
  }
  [[nodiscard]] std::string write(const std::string& name, const std::vector<wire::EncodedReport>& reports) const {
    const auto path = folder_ / name;
    EXPECT_TRUE(server::write_reports(path, data_, reports).ok());
    return path.string();
  }
  [[nodiscard]] Folder place(std::vector<std::string> files = {}) const {
    return Folder(folder_ / "c", {std::move(files), {.round = {}, .allow_seeded = true}, {}});
  }

  // What the devices of the people of a store's round send, from a seed. A report does not depend on the list of people, only its
  // plan's hash does: devices draw as those of a folder do.
  void collect_into(store::Store& store, std::uint32_t number) const {
    const auto campaign = store.campaign().value();
    const ldp::Plan plan = ldp::Plan::parse(campaign->rounds[number].plan).value();
    ldp::Questions questions;
    std::vector<std::uint8_t> reporting(data_.num_nodes(), 0);
    if (plan.tables().model) questions.resize(data_.num_nodes());
    for (std::uint32_t node = 0; node < data_.num_nodes(); ++node) {
      const std::string name = data_.nodes.name(node);
      const std::vector<std::string_view> one{name};
      const store::Standing standing = store.standings(one).value().front();
      if (standing.round != number) continue;
      reporting[node] = 1;
      if (!questions.empty()) questions[node] = ldp::Question::parse(*plan.tables().model, standing.question).value();
    }
    const auto levels = population::choose_levels(population::LevelChoice::uniform, data_.num_nodes(), 2, 0, 0);
    const population::Asking asking(plan, data_.nodes, questions);
    population::Devices devices{&data_.features, levels,    7,     0, population::Content::features,
                                &asking,         reporting, number};
    std::vector<store::Submission> sent;
    for (const auto& report : population::seeded_reports(plan, devices, kernels::Threads(1))) {
      sent.push_back({data_.nodes.name(report.node), number, report.bytes});
    }
    ASSERT_TRUE(store.put(sent));
  }
  // A store in which everybody is enrolled and the teachers have reported.
  [[nodiscard]] InStore taught_store() const {
    InStore place =
        std::move(InStore::open("sqlite:" + (folder_ / "s.db").string(), store::Opening::create, true)).value();
    EXPECT_TRUE(start(place, data_, split_, "spring", request({8, 16})).ok());
    std::vector<store::Person> people;
    for (std::uint32_t node = 0; node < data_.num_nodes(); ++node) people.push_back({data_.nodes.name(node), {}});
    EXPECT_TRUE(place.store().enrol(people).ok());
    collect_into(place.store(), 0);
    EXPECT_TRUE(place.store().close(0).ok());
    return place;
  }
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<graph::NodeId>& people, std::size_t most) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(most, people.size()); ++i) names.push_back(data_.nodes.name(people[i]));
    return names;
  }

  test::TemporaryFolder folder_;
  graph::Dataset data_;
  graph::Split split_;
  Structure structure_;
};

TEST_F(Steps, AnswersOfOtherPeopleAreRefusedByFiles) {
  Folder before = place();
  EXPECT_EQ(before.load().error().code, ErrorCode::mismatch);
  ASSERT_TRUE(start(before, data_, split_, "spring", request({4, 8})).ok());
  EXPECT_FALSE(start(before, data_, split_, "spring", request({4, 8})).ok()) << "people may have reported";
  EXPECT_EQ(before.load()->rounds.size(), 1U);
  EXPECT_EQ(before.load()->rounds[0].people, split_.train.size());
  EXPECT_NE(conclude(before, data_, structure_, false).error().message.find("nobody was asked yet"), std::string::npos);

  Folder taught = place({write("lessons.csv", reports_of(before.files(), Role::teach))});
  const Result<Asked> asked = ask(taught, data_, structure_, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->reports, split_.train.size());
  EXPECT_EQ(asked->asked + asked->not_asked, data_.num_nodes() - split_.train.size());
  EXPECT_FALSE(ask(taught, data_, structure_, {})) << "people may have answered";

  auto answers = reports_of(taught.files(), Role::answer);
  Folder answered = place({write("answers.csv", answers)});
  const Result<Concluded> good = conclude(answered, data_, structure_, false);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->answers, answers.size());
  EXPECT_TRUE(answered.load()->concluded);
  EXPECT_EQ(server::parse_predictions({"p", **answered.predictions()})->size(), data_.num_nodes());

  // Everybody sends what their neighbour in the list was to send.
  std::vector<std::uint8_t> first = answers.front().bytes;
  for (std::size_t i = 0; i + 1 < answers.size(); ++i) answers[i].bytes = answers[i + 1].bytes;
  answers.back().bytes = first;
  Folder rotated = place({write("rotated.csv", answers)});
  const Result<Concluded> refused = conclude(rotated, data_, structure_, false);
  ASSERT_FALSE(refused) << "answers to other questions";
  EXPECT_TRUE(refused.error().message.ends_with("question: an answer to another one")) << refused.error().message;

  // Somebody who is not on the list.
  const auto lessons = reports_of(taught.files(), Role::teach);
  auto stranger = lessons;
  stranger.front().node = split_.test.front();
  std::filesystem::remove(taught.files().plan(Role::answer));
  Folder strange = place({write("strange.csv", stranger)});
  const Result<Asked> not_asked = ask(strange, data_, structure_, {});
  ASSERT_FALSE(not_asked);
  EXPECT_NE(not_asked.error().message.find("not asked in this round"), std::string::npos) << not_asked.error().message;
}

TEST_F(Steps, PilotsFirstAndTheirReportsAreNeeded) {
  Folder files = place();
  ASSERT_TRUE(start(files, data_, split_, "spring", request({8, 16})).ok());
  const std::string lessons = write("lessons.csv", reports_of(files.files(), Role::teach));
  Folder taught = place({lessons});
  const Result<Asked> pilots = ask(taught, data_, structure_, {.pilots = true});
  ASSERT_TRUE(pilots) << pilots.error().message;
  EXPECT_EQ(pilots->asked + pilots->not_asked, split_.validation.size());
  EXPECT_FALSE(ask(taught, data_, structure_, {.pilots = true}));
  const Result<Asked> wrong = ask(taught, data_, structure_, {});
  EXPECT_FALSE(wrong) << "lessons are not the pilots' answers";

  const std::string piloted = write("pilots.csv", reports_of(files.files(), Role::pilot));
  Folder shown = place({piloted});
  const Result<Asked> others = ask(shown, data_, structure_, {});
  ASSERT_TRUE(others) << others.error().message;
  EXPECT_EQ(others->before, Role::pilot);
  ASSERT_TRUE(others->helps) << "budgets are large: else the rest is not tried";
  const std::string answered = write("answers.csv", reports_of(files.files(), Role::answer));
  Folder half = place({answered});
  EXPECT_NE(conclude(half, data_, structure_, false).error().message.find("pilots"), std::string::npos);
  Folder both = place({answered, piloted});
  Folder turned = place({piloted, answered});
  const Result<Concluded> one = conclude(both, data_, structure_, false);
  ASSERT_TRUE(one) << one.error().message;
  const std::string text = **both.predictions();
  ASSERT_TRUE(conclude(turned, data_, structure_, false));
  EXPECT_EQ(**turned.predictions(), text) << "the order of files does not matter";
}

// The same campaign by files and in a store: the same classes, to the last digit.
TEST_F(Steps, AStoreGivesWhatFilesGive) {
  Result<InStore> store = InStore::open("sqlite:" + (folder_ / "s.db").string(), store::Opening::create);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(store->load().error().code, ErrorCode::mismatch);
  std::vector<store::Person> people;
  for (std::uint32_t node = 0; node < data_.num_nodes(); ++node) people.push_back({data_.nodes.name(node), {}});
  ASSERT_TRUE(start(*store, data_, split_, "spring", request({8, 16})).ok());
  ASSERT_TRUE(store->store().enrol(people).ok());
  Folder files = place();
  ASSERT_TRUE(start(files, data_, split_, "spring", request({8, 16})).ok());

  const auto collect = [&](std::uint32_t number) { collect_into(store->store(), number); };
  const auto write_like = [&](Role role, std::uint32_t number) {
    std::ifstream text(files.files().plan(role));
    const ldp::Plan plan = ldp::Plan::parse(std::string(std::istreambuf_iterator<char>(text), {})).value();
    const auto list = server::PeopleList::read(files.files().people(role), plan).value();
    ldp::Questions questions;
    if (plan.tables().model) questions = server::read_questions(files.files().questions(role), data_, plan).value();
    const auto levels = population::choose_levels(population::LevelChoice::uniform, data_.num_nodes(), 2, 0, 0);
    const auto reporting = server::reporting(&list, data_.nodes, {}).value();
    const population::Asking asking(plan, data_.nodes, questions);
    const population::Devices devices{&data_.features, levels,    7,     0, population::Content::features,
                                      &asking,         reporting, number};
    return write(std::string(to_text(role)) + ".csv", population::seeded_reports(plan, devices, kernels::Threads(1)));
  };
  collect(0);
  Result<InStore> seeded = InStore::open(store->where(), store::Opening::existing, true);
  EXPECT_NE(ask(*seeded, data_, structure_, {}).error().message.find("is open"), std::string::npos);
  ASSERT_TRUE(store->store().close(0).ok());
  EXPECT_NE(ask(*store, data_, structure_, {}).error().message.find("made from a seed"), std::string::npos);
  const Result<Asked> asked = ask(*seeded, data_, structure_, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_TRUE(ask(*seeded, data_, structure_, {})->already);
  server::ReportChoice choice{.round = {}, .allow_seeded = true};
  Folder taught(files.where(), {{write_like(Role::teach, 0)}, choice, {}});
  ASSERT_TRUE(ask(taught, data_, structure_, {}));
  collect(1);
  ASSERT_TRUE(store->store().close(1).ok());
  const Result<Concluded> in_store = conclude(*seeded, data_, structure_, false);
  ASSERT_TRUE(in_store) << in_store.error().message;
  Folder answered(files.where(), {{write_like(Role::answer, 1)}, choice, {}});
  const Result<Concluded> by_files = conclude(answered, data_, structure_, false);
  ASSERT_TRUE(by_files) << by_files.error().message;
  EXPECT_EQ(in_store->answers, by_files->answers);
  EXPECT_EQ(**seeded->predictions(), **answered.predictions());

  // Somebody erased between reading and keeping makes what was computed void, where their report was read; else not.
  const server::ClassTable table{
      {"a"}, std::vector<std::uint32_t>(data_.num_nodes()), std::vector<double>(data_.num_nodes())};
  const Result<Admitted> read = seeded->admit(data_);
  ASSERT_TRUE(read);
  ASSERT_TRUE(store->store().erase(data_.nodes.name(split_.train.front())).value());
  EXPECT_TRUE(seeded->conclude(data_, table).value()) << "taught, and no lesson was read";
  ASSERT_TRUE(store->store().erase(data_.nodes.name(read->reports.front().node)).value());
  EXPECT_FALSE(seeded->conclude(data_, table).value());
}

// A store whose people are erased while a step is computed: one of them in every attempt.
class ErasedMeanwhile : public InStore {
 public:
  ErasedMeanwhile(InStore place, std::vector<std::string> leaving)
      : InStore(std::move(place)),
        leaving_(std::move(leaving)),
        other_(std::move(store::open(where(), store::Opening::existing)).value()) {}

  Result<Admitted> admit(const graph::Dataset& dataset) override {
    Result<Admitted> admitted = InStore::admit(dataset);
    const auto leave = [this, name = leaving_.at(static_cast<std::size_t>(attempts++))] {
      EXPECT_TRUE(other_->erase(name).value());
      ++erased;
    };
    if (!alone_) {
      leave();
    } else {
      waiting_.emplace_back(leave);  // as a collector does: it waits until the step is done
    }
    return admitted;
  }
  Result<void> alone(const std::function<Result<void>()>& step) override {
    const bool before = std::exchange(alone_, true);
    Result<void> done = InStore::alone(step);
    alone_ = before;
    if (before) return done;
    for (std::thread& thread : waiting_) thread.join();
    waiting_.clear();
    return done;
  }
  int attempts = 0;
  std::atomic<int> erased = 0;

 private:
  std::vector<std::string> leaving_;
  std::unique_ptr<store::Store> other_;
  std::vector<std::thread> waiting_;
  bool alone_ = false;
};

// Erasures in every attempt of `ask` and `train`: people whose reports were read make it compute again, three times; then they wait.
TEST_F(Steps, ErasuresDoNotKeepACampaignFromGoingOn) {
  ErasedMeanwhile asking(taught_store(), names_of(split_.train, 20));
  const Result<Asked> asked = ask(asking, data_, structure_, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asking.attempts, 4);
  EXPECT_EQ(asking.erased, 4) << "the last one once the round was published";
  EXPECT_EQ(asked->reports, split_.train.size() - 3) << "nothing was learned from people who were erased before";

  const auto standing = [&](graph::NodeId node) {
    const std::string name = data_.nodes.name(node);
    const std::string_view one = name;
    return asking.store().standings({&one, 1}).value().front();
  };
  std::vector<graph::NodeId> people;
  for (const graph::NodeId node : split_.test) {
    if (standing(node).round == 1U) people.push_back(node);
  }
  ASSERT_GT(people.size(), 4U);
  collect_into(asking.store(), 1);
  ASSERT_TRUE(asking.store().close(1).ok());
  ErasedMeanwhile concluding(std::move(InStore::open(asking.where(), store::Opening::existing, true)).value(),
                             names_of(people, 20));
  const Result<Concluded> concluded = conclude(concluding, data_, structure_, false);
  ASSERT_TRUE(concluded) << concluded.error().message;
  EXPECT_EQ(concluding.attempts, 4);
  EXPECT_EQ(concluding.erased, 4);
  EXPECT_EQ(concluded->answers, asked->asked - 3);
}

// Whoever has no report in it changes nothing that was computed: they are taken out of the round.
TEST_F(Steps, PeopleWhoAreErasedMeanwhileAreNotAsked) {
  ErasedMeanwhile place(taught_store(), names_of(split_.test, 1));
  const Result<Asked> asked = ask(place, data_, structure_, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(place.attempts, 1);
  EXPECT_EQ(asked->asked, data_.num_nodes() - split_.train.size() - 1) << "everybody but one";
  const std::string name = data_.nodes.name(split_.test.front());
  const std::string_view one = name;
  EXPECT_FALSE(place.store().standings({&one, 1}).value().front().round);
  const auto round = place.store().campaign().value()->rounds.at(1);
  EXPECT_EQ(round.people.find("\n" + name + "\n"), std::string::npos);
  EXPECT_EQ(server::PeopleList::count(round.people), asked->asked);
}

}  // namespace
}  // namespace ppgnn::campaign
