#pragma once

#include <nlohmann/json.hpp>

#include "support/collector_process.hpp"

namespace ppgnn::test {

/// The same campaign by files, without what somebody erased: what the network must give, to the bit.
inline nlohmann::json by_files(const CollectorProcess& network, const std::string& start_more,
                               const std::string& erased) {
  using nlohmann::json;
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
  const std::string& data = network.data();
  const auto must = [](const std::string& command) {
    const CommandResult result = run_ppgnn(command);
    EXPECT_EQ(result.status, 0) << result.error;
    return result.out;
  };
  const bool is_public = start_more.find("--level-public") != std::string::npos;
  const std::string levels = " --levels " + network.file("levels.csv");
  must("campaign start " + data + "--campaign simulated --folder " + file("c") + ' ' + start_more);
  must("perturb " + data + "--seed 0 --plan " + file("c/teach.plan") + " --people " + file("c/teach.people") +
       " --out " + file("lessons.csv") + levels);
  must("campaign ask --allow-seeded " + data + "--folder " + file("c") + " --reports " + file("lessons.csv") +
       (is_public ? levels : ""));
  must("perturb " + data + "--seed 0 --plan " + file("c/answer.plan") + " --people " + file("c/answer.people") +
       " --questions " + file("c/questions.csv") + " --out " + file("answers.csv") + levels);
  std::ofstream fewer(file("fewer.csv"));
  std::ifstream answers(file("answers.csv"));
  for (std::string line; std::getline(answers, line);) {
    if (!line.starts_with(erased + ',')) fewer << line << '\n';
  }
  fewer.close();
  json made = json::parse(
      must("train --json --allow-seeded " + data + "--folder " + file("c") + " --reports " + file("fewer.csv")));
  made["predictions"] = json::parse(must("predict --json --folder " + file("c")))["predictions"];
  return made;
}

/// Enrol, serve, teach, kill and restart in between, ask, erase two people, train. With pilots the others are asked after
/// them, which changes nothing of what comes out.
inline void end_to_end(const std::string& data, const std::string& start_more, bool pilots,
                       const std::string& store = "") {
  using nlohmann::json;
  CollectorProcess network(data, store);
  const bool is_public = start_more.find("--level-public") != std::string::npos;
  network.must("campaign start", network.data() + "--campaign simulated " + start_more);
  const json started = json::parse(network.run("campaign status", "--json").out);
  std::ofstream levels(network.file("levels.csv"));
  levels << "node,level\n";
  const CommandResult described = run_ppgnn("data info " + data + " --json");
  ASSERT_EQ(described.status, 0) << described.error;
  const auto count = json::parse(described.out)["nodes"].get<int>();
  for (int i = 0; i < count; ++i) levels << i << ',' << 1 + i * 7 % 5 << '\n';
  levels.close();
  const std::string with_levels = " --levels " + network.file("levels.csv");
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv") +
                            (is_public ? with_levels : ""));
  const auto submit = [&] {
    const CommandResult handed = run_ppgnn("submit --json --server " + network.url() + " --simulate " + data +
                                           " --tokens " + network.file("tokens.csv") + " --seed 0" + with_levels);
    EXPECT_EQ(handed.status, 0) << handed.error << handed.out;
    return json::parse(handed.out);
  };
  const auto tokens = lines_of(network.file("tokens.csv"));
  // Somebody whom the open round asks, and who reported.
  const auto reported_by = [&] {
    for (const auto& [name, token] : tokens) {
      const auto answer = RawConnection(network.port()).exchange(request_text("GET", "/v1/question", token));
      const json question = json::parse(answer->body);
      if (question["reported"] == true && question["asked"] == true) return name;
    }
    return std::string();
  };
  network.serve("--allow-seeded");
  const json taught = submit();
  const std::string teacher = reported_by();
  EXPECT_EQ(taught["stored"], started["rounds"][0]["people"]);
  network.stop(SIGKILL);
  network.serve("--allow-seeded");
  EXPECT_EQ(submit()["reported_before"], taught["stored"]);  // all of it is there
  network.must("campaign close", "--round 0");
  const int last = pilots ? 2 : 1;
  int answers = 0;
  for (int round = 1; round <= last; ++round) {
    network.must("campaign ask", network.data() + "--allow-seeded" + (round < last ? " --pilots" : ""));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // until the collector noticed
    const json answered = submit();
    EXPECT_GT(answered["stored"], 0);
    EXPECT_EQ(answered["round"], round);
    answers += answered["stored"].get<int>();
    if (round == last) break;
    network.must("campaign close", "--round " + std::to_string(round));
    network.stop(SIGKILL);
    network.serve("--allow-seeded");
  }
  const std::string other = reported_by();
  const auto erased = RawConnection(network.port()).exchange(request_text("DELETE", "/v1/reports", tokens.at(teacher)));
  EXPECT_EQ(erased->status, 200);
  network.must("campaign erase", "--person " + other);
  network.must("campaign close", "--round " + std::to_string(last));
  EXPECT_EQ(network.stop(SIGTERM), 0);
  const CommandResult trained = network.run("train", network.data() + "--allow-seeded --json");
  ASSERT_EQ(trained.status, 0) << trained.error;
  const json result = json::parse(trained.out);
  const json expected = by_files(network, start_more, other);
  EXPECT_EQ(result["test"], expected["test"]);
  EXPECT_EQ(result["answers"], expected["answers"]);
  EXPECT_EQ(result["answers"], answers - 1);
  EXPECT_EQ(result["answers_used"], true);
  const CommandResult predicted = network.run("predict", "--json");
  EXPECT_EQ(json::parse(predicted.out)["predictions"].size(), static_cast<std::size_t>(count));
  EXPECT_EQ(network.run("train", network.data()).status, 3);  // seeded reports are refused unless allowed
}

}  // namespace ppgnn::test
