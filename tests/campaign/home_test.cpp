// A campaign whose devices decide, in a folder and in a store, with every device played.
#include "ppgnn/campaign/home.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "ppgnn/campaign/folder.hpp"
#include "ppgnn/campaign/in_store.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/ldp/decide.hpp"
#include "ppgnn/population/devices.hpp"
#include "ppgnn/population/levels.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/server/people_list.hpp"
#include "ppgnn/server/question_files.hpp"
#include "ppgnn/server/report_files.hpp"
#include "ppgnn/teach/home.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::campaign {
namespace {

using ldp::Role;

class AtHome : public testing::Test {
 protected:
  AtHome() : data_(graph::generate_social({.nodes = 600, .attributes = 40, .signal = .7}).value()) {
    split_ = graph::make_split(data_, 0, 0).value();
    structure_ = [this](const graph::Split&) -> Result<teach::Beliefs> {
      teach::Beliefs beliefs{data_.num_classes(), {}};
      beliefs.values.assign(data_.num_nodes() * beliefs.classes, .2F);  // four classes
      const auto labels = data_.labels.span();
      for (std::size_t node = 0; node < data_.num_nodes(); ++node) {
        const bool right = node % 3 != 0;
        beliefs.of(node)[right ? static_cast<std::size_t>(labels[node]) : node % beliefs.classes] +=
            .1F + .001F * static_cast<float>(node % 97);
      }
      for (std::size_t node = 0; node < data_.num_nodes(); ++node) {
        float all = 0;
        for (const float one : beliefs.of(node)) all += one;
        for (float& one : beliefs.of(node)) one /= all;
      }
      return beliefs;
    };
  }

  [[nodiscard]] ldp::PlanRequest request() const {
    ldp::PlanRequest request;
    request.columns = population::columns_of(data_.features.schema()).value();
    request.budgets = {4, 8};
    return request;
  }
  // What these people's devices send, from a seed.
  [[nodiscard]] std::vector<wire::EncodedReport> play(const ldp::Plan& plan, const ldp::Questions& questions,
                                                      const std::vector<std::uint8_t>& reporting,
                                                      std::uint64_t round) const {
    const auto levels = population::choose_levels(population::LevelChoice::uniform, data_.num_nodes(), 2, 0, 0);
    const population::Asking asking(plan, data_.nodes, questions);
    const population::Devices devices{&data_.features, levels,    7,    0, population::Content::features,
                                      &asking,         reporting, round};
    return population::seeded_reports(plan, devices, kernels::Threads(1));
  }
  [[nodiscard]] std::string report(const FolderFiles& files, Role role) const {
    std::ifstream text(files.plan(role));
    const ldp::Plan plan = ldp::Plan::parse(std::string(std::istreambuf_iterator<char>(text), {})).value();
    const auto list = server::PeopleList::read(files.people(role), plan).value();
    ldp::Questions questions;
    if (plan.tables().model) questions = server::read_questions(files.questions(role), data_, plan).value();
    const auto path = folder_ / (std::string(to_text(role)) + ".csv");
    const auto reporting = server::reporting(&list, data_.nodes, {}).value();
    EXPECT_TRUE(server::write_reports(path, data_, play(plan, questions, reporting, 0)).ok());
    return path.string();
  }
  void report_into(store::Store& store, std::uint32_t number) const {
    const ldp::Plan plan = ldp::Plan::parse(store.campaign().value()->rounds[number].plan).value();
    ldp::Questions questions(plan.tables().model ? data_.num_nodes() : 0);
    std::vector<std::uint8_t> reporting(data_.num_nodes(), 0);
    for (std::uint32_t node = 0; node < data_.num_nodes(); ++node) {
      const std::string name = data_.nodes.name(node);
      const store::Standing standing = store.standings(std::vector<std::string_view>{name}).value().front();
      reporting[node] = standing.round == number && !standing.erased ? 1 : 0;
      if (reporting[node] != 0 && !questions.empty()) {
        questions[node] = ldp::Question::parse(*plan.tables().model, standing.question).value();
      }
    }
    std::vector<store::Submission> sent;
    for (const auto& one : play(plan, questions, reporting, number)) {
      sent.push_back({data_.nodes.name(one.node), number, one.bytes});
    }
    ASSERT_TRUE(store.put(sent));
    ASSERT_TRUE(store.close(number));
  }
  [[nodiscard]] Folder place(std::vector<std::string> files = {}) const {
    return Folder(folder_ / "c", {std::move(files), {.round = {}, .allow_seeded = true}, {}});
  }
  // A store in which everybody is enrolled and taught.
  [[nodiscard]] InStore taught_store() const {
    InStore place =
        std::move(InStore::open("sqlite:" + (folder_ / "s.db").string(), store::Opening::create, true)).value();
    EXPECT_TRUE(start_home(place, data_, split_, "spring", request(), structure_).ok());
    std::vector<store::Person> people;
    for (std::uint32_t node = 0; node < data_.num_nodes(); ++node) people.push_back({data_.nodes.name(node), {}});
    EXPECT_TRUE(place.store().enrol(people).ok());
    report_into(place.store(), 0);
    return place;
  }

  graph::Dataset data_;
  graph::Split split_;
  Structure structure_;
  test::TemporaryFolder folder_;
};

TEST_F(AtHome, AFolderGoesFromStartToPublishedAndWithdrawn) {
  Folder begun = place();
  ASSERT_TRUE(start_home(begun, data_, split_, "spring", request(), structure_).ok());
  State state = begun.load().value();
  EXPECT_TRUE(decides_at_home(state));
  const std::size_t pilots = split_.validation.size() / 5;
  EXPECT_EQ(state.rounds[0].people, data_.num_nodes() - pilots);
  EXPECT_EQ(publish(begun, data_, structure_, {}).error().code, ErrorCode::mismatch) << "nobody calibrated";

  const std::string lessons = report(begun.files(), Role::teach);
  Folder taught = place({lessons});
  EXPECT_EQ(ask(taught, data_, structure_, {}).error().code, ErrorCode::mismatch) << "nobody answers here";
  const Result<Asked> asked = calibrate(taught, data_, structure_, {});
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->asked, pilots);
  EXPECT_EQ(asked->reports, data_.num_nodes() - pilots);
  EXPECT_FALSE(calibrate(taught, data_, structure_, {})) << "pilots report once";

  Folder calibrated = place({report(begun.files(), Role::pilot)});
  const Result<Decisions> made = publish(calibrated, data_, structure_, {.hint_friends = 1});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_GT(made->pilots, 0u);
  EXPECT_LE(made->low, made->lift);
  EXPECT_LE(made->lift, made->high);
  EXPECT_FALSE(publish(calibrated, data_, structure_, {})) << "one model a campaign";

  // What was published is of the pilots' plan, has everybody's hint, and says how it stands.
  state = begun.load().value();
  ASSERT_TRUE(state.published);
  EXPECT_EQ(next_step(state), Next::published);
  EXPECT_EQ(state.published->model, made->model);
  EXPECT_EQ(state.published->lift, made->lift);
  EXPECT_EQ(state.published->withdrawn, made->withdrawn);
  ldp::PlannedModel device;
  ASSERT_TRUE(device.read(made->model, state.rounds[1].plan).ok());
  std::ifstream hints(begun.files().hints());
  std::size_t lines = 0;
  std::size_t impersonal = 0;
  for (std::string line; std::getline(hints, line); ++lines) impersonal += line.ends_with(",0100") ? 1U : 0U;
  EXPECT_EQ(lines, data_.num_nodes() + 1);
  const auto enough = teach::befriended(data_, split_, false, 1);
  EXPECT_EQ(impersonal, static_cast<std::size_t>(std::count(enough.begin(), enough.end(), 0)));

  ASSERT_TRUE(withdraw(begun).ok());
  ASSERT_TRUE(withdraw(begun).ok()) << "twice is like once";
  EXPECT_TRUE(begun.load().value().published->withdrawn);
  EXPECT_EQ(begun.load().value().published->model, made->model) << "devices know no other";
}

TEST_F(AtHome, AStoreHoldsTheSame) {
  InStore place = taught_store();
  ASSERT_TRUE(calibrate(place, data_, structure_, {})) << "pilots";
  EXPECT_TRUE(calibrate(place, data_, structure_, {})->already);
  report_into(place.store(), 1);
  const Result<Decisions> made = publish(place, data_, structure_, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(publish(place, data_, structure_, {})->model, made->model) << "once more changes nothing";
  EXPECT_EQ(place.load().value().published->model, made->model);

  // The same steps in a folder publish the same, to the bit: only the plan's list of people has other salt.
  Folder begun = this->place();
  ASSERT_TRUE(start_home(begun, data_, split_, "spring", request(), structure_).ok());
  Folder taught = this->place({report(begun.files(), Role::teach)});
  ASSERT_TRUE(calibrate(taught, data_, structure_, {}));
  Folder calibrated = this->place({report(begun.files(), Role::pilot)});
  EXPECT_EQ(publish(calibrated, data_, structure_, {})->model, made->model);
}

// Who is erased before the model is published has no hint, and of who is erased afterwards it goes.
TEST_F(AtHome, ErasedPeopleHaveNoHint) {
  InStore place = taught_store();
  ASSERT_TRUE(calibrate(place, data_, structure_, {}));
  ASSERT_TRUE(place.store().erase(data_.nodes.name(1)).value());
  report_into(place.store(), 1);
  ASSERT_TRUE(publish(place, data_, structure_, {}));
  EXPECT_TRUE(place.store().hint_of(data_.nodes.name(1))->empty());
  EXPECT_EQ(place.store().hint_of(data_.nodes.name(2))->size(), 5u);
  ASSERT_TRUE(place.store().erase(data_.nodes.name(2)).value());
  EXPECT_TRUE(place.store().hint_of(data_.nodes.name(2))->empty());
}

TEST_F(AtHome, OtherCampaignsHaveNoSuchSteps) {
  Folder other(folder_ / "other");
  ASSERT_TRUE(start(other, data_, split_, "spring", request()).ok());
  EXPECT_FALSE(decides_at_home(other.load().value()));
  EXPECT_EQ(calibrate(other, data_, structure_, {}).error().code, ErrorCode::mismatch);
  EXPECT_EQ(publish(other, data_, structure_, {}).error().code, ErrorCode::mismatch);
  EXPECT_EQ(withdraw(other).error().code, ErrorCode::mismatch);
}

TEST(Decisions, WhatTheyAreWorthIsReadAsItIsWritten) {
  const Decisions made{"", 12, .1, -1.0 / 3, -2, 1e-17, false};
  Decisions read;
  ASSERT_TRUE(read.read_lift(made.lift_text()).ok());
  EXPECT_EQ(read.pilots, 12u);
  EXPECT_EQ(read.lift, made.lift);
  EXPECT_EQ(read.high, made.high);
  const std::string text = made.lift_text();
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(read.read_lift(text.substr(0, size))) << size;
  EXPECT_FALSE(read.read_lift(text + "more 1\n"));
}

}  // namespace
}  // namespace ppgnn::campaign
