#include "ppgnn/collector/api.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "collector/support.hpp"
#include "ppgnn/collector/batch.hpp"
#include "support/cbor_batch.hpp"

namespace ppgnn::collector {
namespace {

using nlohmann::json;
using test::report_of;
using test::SmallCampaign;

// The name of a problem, or the outcome of a report.
std::string said(const Response& response) {
  const json body = json::parse(response.body);
  return body.contains("type") ? body["type"].get<std::string>().substr(18) : body.value("outcome", "?");
}

TEST(Api, AReportIsTakenOnce) {
  SmallCampaign campaign;
  campaign.serve();
  const auto report = report_of(campaign.teaching, "p0");
  const Response first = campaign.post(0, report);
  EXPECT_EQ(first.status, 201U) << first.body;
  const Response again = campaign.post(0, report);
  EXPECT_EQ(again.status, 200U);
  EXPECT_EQ(said(again), "repeated");
  auto other = report_of(campaign.teaching, "p0");
  while (other == report) other = report_of(campaign.teaching, "p0");
  const Response differs = campaign.post(0, other);
  EXPECT_EQ(differs.status, 409U);
  EXPECT_EQ(said(differs), "different-report");
  const json status = json::parse(campaign.get("/v1/status", test::kAdministrator).body);
  EXPECT_EQ(status["since_start"],
            (json{{"stored", 1}, {"repeated", 1}, {"differs", 1}, {"erased", 0}, {"closed", 0}}));
  EXPECT_EQ(status["rounds"][0]["reports"], 1);
}

TEST(Api, WhoIsNotAskedReportsNothing) {
  SmallCampaign campaign;
  campaign.serve();
  EXPECT_EQ(said(campaign.post(1, report_of(campaign.teaching, "p1"))), "not-asked");
  EXPECT_FALSE(json::parse(campaign.get("/v1/question", campaign.token(1)).body)["asked"]);
  const json asked = json::parse(campaign.get("/v1/question", campaign.token(0)).body);
  EXPECT_TRUE(asked["asked"]);
  EXPECT_EQ(asked["question"], nullptr);
  EXPECT_EQ(asked["person"], "p0");
  EXPECT_EQ(asked["round"], 0);
}

// A token that was made with the keys, for somebody who is not enrolled (yet); and then is, while the collector runs.
TEST(Api, WhoIsNotEnrolledReportsNothing) {
  SmallCampaign campaign;
  campaign.serve();
  const auto post = [&] {
    return said(campaign.ask({"POST", "/v1/reports", "Bearer " + campaign.keys.token("spring", "late"),
                              "application/cbor", "here", test::text_of(report_of(campaign.teaching, "late"))}));
  };
  EXPECT_EQ(post(), "unauthorised");
  const std::vector<store::Person> late{{"late", std::nullopt}};
  ASSERT_TRUE(campaign.store->enrol(late));
  EXPECT_EQ(post(), "not-asked");
}

TEST(Api, TheSecondRoundIsNoticedAndTheFirstIsOver) {
  SmallCampaign campaign;
  campaign.serve();
  const auto lesson = report_of(campaign.teaching, "p0");
  EXPECT_EQ(campaign.post(0, lesson).status, 201U);
  campaign.ask();
  // Before anybody looked again, the store itself refuses.
  EXPECT_EQ(said(campaign.post(2, report_of(campaign.teaching, "p2"))), "round-closed");
  ASSERT_TRUE(campaign.api->refresh());
  EXPECT_EQ(campaign.get("/v1/plan").body, campaign.answering.text());
  EXPECT_EQ(campaign.get("/v1/plans/0").body, campaign.teaching.text());  // people may look at what they reported for
  EXPECT_EQ(campaign.get("/v1/plans/1").body, campaign.answering.text());
  for (const char* number : {"2", "-1", "x", "0x0", "99999999999"}) {
    EXPECT_EQ(campaign.get(std::string("/v1/plans/") + number).status, 404U) << number;
  }
  EXPECT_EQ(said(campaign.post(2, report_of(campaign.teaching, "p2"))), "round-closed");
  EXPECT_EQ(said(campaign.post(0, lesson)), "repeated");  // an answer that was lost
  const json asked = json::parse(campaign.get("/v1/question", campaign.token(1)).body);
  EXPECT_EQ(asked["question"], to_hex(campaign.question));
  EXPECT_EQ(asked["classes"], (json{"tea", "chess", "rowing"}));
  const auto answer = report_of(campaign.answering, "p1", 1, campaign.question, 1);
  EXPECT_EQ(campaign.post(1, answer).status, 201U);
  // A teacher answers nothing: one report a person.
  EXPECT_EQ(said(campaign.post(0, report_of(campaign.answering, "p0", 1, campaign.question, 1))), "not-asked");
  const auto other = ldp::Question::make(*campaign.answering.tables().model, {0, 1, 2}).value().bytes();
  EXPECT_EQ(said(campaign.post(3, report_of(campaign.answering, "p3", 1, other, 1))), "bad-report");
  EXPECT_EQ(said(campaign.post(3, report_of(campaign.answering, "p3", 1, campaign.question, 0))), "bad-report");
}

TEST(Api, LevelsArePublicOnlyAsDeclared) {
  SmallCampaign campaign(ldp::LevelSecrecy::public_level);
  campaign.serve();
  EXPECT_EQ(said(campaign.post(0, report_of(campaign.teaching, "p0", 2))), "bad-report");
  EXPECT_EQ(campaign.post(0, report_of(campaign.teaching, "p0", 1)).status, 201U);
  const json status = json::parse(campaign.get("/v1/status", test::kAdministrator).body);
  EXPECT_EQ(status["rounds"][0]["levels"], (json{1.0, 0.0}));
}

TEST(Api, SeededReportsAreForResearchOnly) {
  SmallCampaign campaign;
  ldp::Report seeded;
  seeded.outcomes = {3};
  seeded.seeded = true;
  const auto bytes = wire::encode(campaign.teaching, seeded);
  campaign.serve();
  EXPECT_EQ(said(campaign.post(0, bytes)), "bad-report");
  ApiOptions options = campaign.options();
  options.allow_seeded = true;
  campaign.serve(std::move(options));
  EXPECT_EQ(said(campaign.post(0, bytes)), "stored");
}

// Every byte of a report changed, and every length: refused, or another report of the same person; stored is none of them.
TEST(Api, DamagedReportsAreRefused) {
  SmallCampaign campaign;
  campaign.serve();
  const auto report = report_of(campaign.teaching, "p0");
  ASSERT_EQ(campaign.post(0, report).status, 201U);
  for (std::size_t i = 0; i < report.size(); ++i) {
    auto bad = report;
    bad[i] ^= 0x15;
    const std::string what = said(campaign.post(0, bad));
    EXPECT_TRUE(what == "bad-report" || what == "different-report") << what << " at " << i;
    EXPECT_EQ(said(campaign.post(0, {report.begin(), report.begin() + static_cast<std::ptrdiff_t>(i)})), "bad-report");
  }
  EXPECT_EQ(campaign.store->counts()->reports.at(0), 1U);
}

TEST(Api, ErasureIsForThePersonOrTheAdministrator) {
  SmallCampaign campaign;
  campaign.serve();
  const auto report = report_of(campaign.teaching, "p0");
  ASSERT_EQ(campaign.post(0, report).status, 201U);
  const auto erase = [&](const std::string& path, const std::string& token) {
    return campaign.ask({"DELETE", path, "Bearer " + token, "", "here", ""});
  };
  EXPECT_EQ(erase("/v1/reports", "nobody's").status, 401U);
  EXPECT_EQ(erase("/v1/people/p0", campaign.token(0)).status, 401U);
  const Response erased = erase("/v1/reports", campaign.token(0));
  EXPECT_EQ(erased.status, 200U);
  const Response again = erase("/v1/people/p0", test::kAdministrator);
  EXPECT_EQ(json::parse(erased.body)["receipt"], json::parse(again.body)["receipt"]);
  EXPECT_NE(erased.body.find("spent"), std::string::npos);
  EXPECT_EQ(erase("/v1/reports", campaign.token(4)).body.find("spent"), std::string::npos) << "never reported";
  EXPECT_EQ(said(campaign.post(0, report)), "erased");
  EXPECT_EQ(said(campaign.get("/v1/question", campaign.token(0))), "erased");
  EXPECT_EQ(erase("/v1/people/nobody", test::kAdministrator).status, 404U);
  EXPECT_EQ(erase("/v1/people/p%32", test::kAdministrator).status, 200U);
  EXPECT_EQ(erase("/v1/people/p%3", test::kAdministrator).status, 400U);
  const json status = json::parse(campaign.get("/v1/status", test::kAdministrator).body);
  EXPECT_EQ(status["erased"], 3);
}

TEST(Api, BatchesSayWhatBecameOfEach) {
  SmallCampaign campaign;
  campaign.serve();
  const auto first = report_of(campaign.teaching, "p0");
  std::vector<BatchItem> items{{campaign.token(0), first},
                               {campaign.token(0), first},
                               {"no token", first},
                               {campaign.token(1), first},
                               {campaign.token(2), {1, 2, 3}},
                               {campaign.token(4), report_of(campaign.teaching, "p4")}};
  const auto statuses = [&](const Response& response) {
    std::vector<int> all;
    const json body = json::parse(response.body);
    for (const json& item : body["items"]) all.push_back(item["status"]);
    return all;
  };
  const Response cbor =
      campaign.ask({"POST", "/v1/reports/batch", "", "application/cbor-seq", "here", test::cbor_batch(items)});
  ASSERT_EQ(cbor.status, 200U) << cbor.body;
  EXPECT_EQ(statuses(cbor), (std::vector<int>{201, 200, 401, 403, 422, 201}));
  std::string lines;
  for (const BatchItem& item : items)
    lines += json{{"token", item.token}, {"report", to_hex(item.report)}}.dump() + "\n";
  const Response again = campaign.ask({"POST", "/v1/reports/batch", "", "application/x-ndjson", "here", lines});
  EXPECT_EQ(statuses(again), (std::vector<int>{200, 200, 401, 403, 422, 200}));
  EXPECT_EQ(campaign.ask({"POST", "/v1/reports/batch", "", "application/json", "here", lines}).status, 415U);
  EXPECT_EQ(campaign.ask({"POST", "/v1/reports/batch", "", "application/x-ndjson", "here", lines + "{"}).status, 400U);
}

TEST(Api, SomebodyWhoComesTooOftenWaits) {
  SmallCampaign campaign;
  ApiOptions options = campaign.options();
  options.person_a_second = .001;
  options.person_burst = 2;
  options.address_a_second = .001;
  options.address_burst = 4;
  options.exempt = {"gateway"};
  campaign.serve(std::move(options));
  const auto from = [&](const std::string& address, int person) {
    return campaign.ask({"GET", "/v1/question", "Bearer " + campaign.token(person), "", address, ""});
  };
  EXPECT_EQ(from("here", 0).status, 200U);
  EXPECT_EQ(from("here", 0).status, 200U);
  const Response limited = from("here", 0);
  EXPECT_EQ(limited.status, 429U);
  EXPECT_EQ(limited.headers.back().first, "Retry-After");
  EXPECT_GT(std::stoi(limited.headers.back().second), 0);
  EXPECT_EQ(from("here", 2).status, 200U);
  EXPECT_EQ(from("here", 4).status, 429U);  // the address
  EXPECT_EQ(from("elsewhere", 4).status, 200U);
  // In a batch each report counts for its person.
  const std::string batch =
      test::cbor_batch({{campaign.token(16), {1}}, {campaign.token(16), {1}}, {campaign.token(16), {1}}});
  const json items =
      json::parse(campaign.ask({"POST", "/v1/reports/batch", "", "application/cbor-seq", "gateway", batch}).body);
  EXPECT_EQ(items["items"][1]["status"], 422);
  EXPECT_EQ(items["items"][2]["status"], 429);
  for (int person = 5; person < 15; ++person) EXPECT_EQ(from("gateway", person).status, 200U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(campaign.ask({"GET", "/healthz", "", "", "here", ""}).status, 200U);
}

// What arrived before the listening ended is answered: a restart loses nothing.
TEST(Api, StoppingItIsNotReadyAndTakesWhatStillArrives) {
  SmallCampaign campaign;
  campaign.serve();
  EXPECT_EQ(campaign.get("/readyz").status, 200U);
  campaign.api->stop();
  EXPECT_EQ(campaign.get("/readyz").status, 503U);
  EXPECT_EQ(campaign.get("/healthz").status, 200U);
  EXPECT_EQ(campaign.post(0, report_of(campaign.teaching, "p0")).status, 201U);
  campaign.api->finish();
  EXPECT_EQ(said(campaign.post(2, report_of(campaign.teaching, "p2"))), "busy");
}

TEST(Api, TheAdministratorsPathsCanHaveAListenerOfTheirOwn) {
  SmallCampaign campaign;
  ASSERT_TRUE(campaign.store->keep("model", std::string(64, '0') + '\n'));  // its path is there once it is
  campaign.serve();
  const auto through = [&](Door door, const std::string& method, const std::string& path) {
    return campaign.ask({method, path, "Bearer " + test::kAdministrator, "", "here", "", door}).status;
  };
  for (const RouteRow& row : kRoutes) {
    const bool inside = row.caller == Caller::administrator || row.caller == Caller::monitor;
    std::string path(row.path);
    if (const std::size_t hole = path.find("{}"); hole != std::string::npos) path.replace(hole, 2, "0");
    const unsigned outside = through(Door::outside, std::string(row.method), path);
    EXPECT_EQ(outside == 404, inside) << path << ' ' << outside;
    EXPECT_EQ(through(Door::outside, "OPTIONS", path) == 404, inside) << path;
  }
  EXPECT_EQ(through(Door::inside, "GET", "/v1/status"), 200U);
  EXPECT_EQ(through(Door::inside, "GET", "/metrics"), 200U);
}

TEST(Api, TheAdministratorClosesARound) {
  SmallCampaign campaign;
  campaign.serve();
  const auto close = [&](const std::string& round, const std::string& token) {
    return campaign.ask({"POST", "/v1/rounds/" + round + "/close", "Bearer " + token, "", "here", ""}).status;
  };
  EXPECT_EQ(close("0", campaign.token(0)), 401U);
  EXPECT_EQ(close("1", test::kAdministrator), 404U);
  EXPECT_EQ(close("x", test::kAdministrator), 404U);
  EXPECT_EQ(close("0", test::kAdministrator), 200U);
  EXPECT_EQ(close("0", test::kAdministrator), 200U);
  EXPECT_EQ(campaign.get("/v1/plan").status, 404U);
  EXPECT_EQ(campaign.get("/v1/plans/0").body, campaign.teaching.text());
  EXPECT_EQ(said(campaign.post(0, report_of(campaign.teaching, "p0"))), "round-closed");
  ApiOptions nobody = campaign.options();
  nobody.administrators.clear();
  campaign.serve(std::move(nobody));
  EXPECT_EQ(campaign.get("/v1/status", test::kAdministrator).status, 401U);
  EXPECT_EQ(campaign.get("/v1/status").status, 401U);
}

// Threads hand in everybody's report several times: each is stored once.
TEST(Api, ManyAtATime) {
  SmallCampaign campaign(ldp::LevelSecrecy::protected_level, 200);
  campaign.serve();
  std::vector<std::vector<std::uint8_t>> reports;
  for (int i = 0; i < 200; i += 2) reports.push_back(report_of(campaign.teaching, SmallCampaign::name(i)));
  std::atomic<int> stored = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        if (campaign.post(2 * i, reports[static_cast<std::size_t>(i)]).status == 201) ++stored;
        if (i % 20 != 0) continue;
        EXPECT_EQ(campaign.get("/v1/status", test::kAdministrator).status, 200U);
        EXPECT_EQ(campaign.get("/metrics", test::kAdministrator).status, 200U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 100);
  EXPECT_EQ(campaign.store->counts()->reports.at(0), 100U);
}

TEST(Api, ScreensAreThereAfterARestart) {
  SmallCampaign campaign(ldp::LevelSecrecy::public_level, 200);
  campaign.serve();
  for (int i = 0; i < 200; i += 2) {
    const auto level = static_cast<std::uint32_t>(1 + i % 2);
    ASSERT_EQ(campaign.post(i, report_of(campaign.teaching, SmallCampaign::name(i), level)).status, 201U);
  }
  const std::string before = campaign.get("/v1/status", test::kAdministrator).body;
  campaign.serve();
  const std::string after = campaign.get("/v1/status", test::kAdministrator).body;
  EXPECT_EQ(json::parse(before)["rounds"], json::parse(after)["rounds"]);
}

TEST(Api, NoCampaignNoCollector) {
  const test::TemporaryFolder folder;
  const auto store = store::open("sqlite:" + (folder.path() / "c.db").string(), store::Opening::create);
  ASSERT_TRUE(store);
  const auto api = Api::make(**store, {});
  ASSERT_FALSE(api);
  EXPECT_EQ(api.error().code, ErrorCode::mismatch);
}

}  // namespace
}  // namespace ppgnn::collector
