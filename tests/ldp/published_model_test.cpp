#include "ppgnn/ldp/published_model.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/models.hpp"

namespace ppgnn::ldp {
namespace {

constexpr const char* kText =
    "ppgnn-model 1\n"
    "campaign spring\n"
    "columns 3 binary from 0 to 1 absent 0 named word\n"
    "columns 1 number from 0 to 100 absent 50 named age\n"
    "question bits 8 unit 0 length 131072\n"
    "class bias 3 weights 64ec0007 named cat\n"
    "class bias -4 weights a6320af9 named dog\n"
    "class bias 0 weights 00017840 named owl\n"
    "evidence 67108864\n"
    "hint full\n"
    "usual -100 0 -300\n";

TEST(PublishedModel, TextIsAsDocumented) {
  const PublishedModel model = *PublishedModel::make(test::small_decisions(HintKind::full));
  EXPECT_EQ(model.text(), kText + ("sha256 " + to_hex(sha256(kText)) + "\n"));
  EXPECT_EQ(model.hash(), sha256(kText));
}

TEST(PublishedModel, ReadsWhatItWrites) {
  for (const HintKind kind : {HintKind::coarse, HintKind::full}) {
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{5}, kMaxLength}) {
      const PublishedModel model = *PublishedModel::make(test::small_decisions(kind, ~0u, length));
      const Result<PublishedModel> again = PublishedModel::parse(model.text());
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->text(), model.text());
      EXPECT_EQ(again->hash(), model.hash());
      EXPECT_EQ(again->tables().model, model.tables().model);
      EXPECT_EQ(again->tables().second, model.tables().second);
      EXPECT_EQ(again->tables().others, model.tables().others);
      EXPECT_EQ(again->tables().usual, model.tables().usual);
      EXPECT_EQ(again->tables().evidence, ~0u);
    }
  }
}

// Seals a body that was edited.
Result<PublishedModel> edited(const std::string& from, const std::string& to) {
  const std::string text = PublishedModel::make(test::small_decisions())->text();
  std::string body = text.substr(0, text.rfind("sha256 "));
  const std::size_t at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  body.replace(at, from.size(), to);
  return PublishedModel::parse(body + "sha256 " + to_hex(sha256(body)) + "\n");
}

TEST(PublishedModel, RefusesEverythingElse) {
  EXPECT_TRUE(edited("spring", "autumn"));
  EXPECT_FALSE(edited("ppgnn-model 1", "ppgnn-model 0"));
  EXPECT_FALSE(edited("ppgnn-model 1", "ppgnn-plan 1"));
  EXPECT_FALSE(edited("spring", "spr ing"));
  EXPECT_FALSE(edited("evidence 67108864", "evidence 067108864"));
  EXPECT_FALSE(edited("evidence 67108864", "evidence 4294967296"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 0"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 -1 -300"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 0 1"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 -0 -300"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 0 -32768"));
  EXPECT_FALSE(edited("usual -100 0 -300", "usual -100 0 -300 "));
  EXPECT_FALSE(edited("second -80", "second 80"));
  EXPECT_FALSE(edited("second -80 ", "second "));
  EXPECT_FALSE(edited("second -80 ", "second -80 -80 "));
  EXPECT_FALSE(edited("others -400", "others -32768"));
  EXPECT_FALSE(edited("hint coarse", "hint full"));
  EXPECT_FALSE(edited("hint coarse", "hint none"));
  EXPECT_FALSE(edited("unit 0", "unit 7"));
  EXPECT_FALSE(edited("length 131072", "length 131072 confident 4"));
  EXPECT_FALSE(edited("length 131072", "length 0"));
  EXPECT_FALSE(edited("length 131072", "length 34359738369"));
}

TEST(PublishedModel, EveryByteCounts) {
  const std::string text = PublishedModel::make(test::small_decisions())->text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(PublishedModel::parse(other)) << i;
    EXPECT_FALSE(PublishedModel::parse(std::string_view(text).substr(0, i))) << i;
  }
}

TEST(PublishedModel, NamesTheFieldThatIsWrong) {
  const auto message = [](const std::function<void(DecisionTables&)>& change) {
    DecisionTables tables = test::small_decisions();
    change(tables);
    const Result<PublishedModel> model = PublishedModel::make(std::move(tables));
    return model ? std::string() : model.error().message.substr(0, model.error().message.find(':', 7));
  };
  EXPECT_EQ(message([](DecisionTables& t) { t.campaign.clear(); }), "model: campaign");
  EXPECT_EQ(message([](DecisionTables& t) { t.model.unit = 1; }), "model: question");
  EXPECT_EQ(message([](DecisionTables& t) { t.model.confident = {1}; }), "model: question");
  EXPECT_EQ(message([](DecisionTables& t) { t.model.weights.pop_back(); }), "model: question");
  EXPECT_EQ(message([](DecisionTables& t) { t.usual.pop_back(); }), "model: usual");
  EXPECT_EQ(message([](DecisionTables& t) { t.others[3] = 1; }), "model: second, others");
  EXPECT_EQ(message([](DecisionTables& t) { t.hint = HintKind::full; }), "model: second, others");
  EXPECT_EQ(message([](DecisionTables& t) {
              t.schema = *Schema::make({{"c", 4, ColumnKind::category, 0, 3, 0}});
            }),
            "model: schema");
}

}  // namespace
}  // namespace ppgnn::ldp
