#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/fault_load.hpp"
#include "cli/rounds.hpp"

/// A campaign to which nothing happens, to hold others against.
namespace ppgnn::test {

inline std::string plan_of(const CollectorProcess& network) {
  const auto answer = RawConnection(network.port()).exchange(request_text("GET", "/v1/plan"));
  return answer && answer->status == 200 ? answer->body : "";
}

/// A plan without what is new in each: the salted digest of its people, and its own.
inline std::string lasting_part(const std::string& plan) {
  std::istringstream lines(plan);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("people ") && !line.starts_with("sha256 ")) kept += line + '\n';
  }
  return kept;
}

inline int erase_one(const CollectorProcess& network, const std::string& token) {
  return RawConnection(network.port()).status(request_text("DELETE", "/v1/reports", token));
}

/// The people of a round, and those of them who want to be erased.
struct Round {
  std::vector<FaultLoad::Person> people;
  std::vector<std::string> erased;
};

inline Round round_of(const CollectorProcess& network, int number) {
  Round round;
  const auto tokens = lines_of(network.file("tokens.csv"));
  for (const auto& [name, hex] : reports_of_round(network, number)) {
    round.people.push_back({name, tokens.at(name), hex, bytes_of_hex(hex)});
    if (round.people.size() % 20 == 0) round.erased.push_back(name);
  }
  return round;
}

/// A round to which nothing happens.
inline void play_calmly(CollectorProcess& network, const Round& round, int number) {
  RawConnection connection(network.port());
  for (const FaultLoad::Person& person : round.people) {
    EXPECT_EQ(connection.status(request_text("POST", "/v1/reports", person.token, "application/cbor", person.report)),
              201);
    if (std::find(round.erased.begin(), round.erased.end(), person.name) == round.erased.end()) continue;
    EXPECT_EQ(erase_one(network, person.token), 200);
  }
  network.must("campaign close", "--round " + std::to_string(number));
  network.stop(SIGTERM);
}

/// What a campaign begins with; its first round, and what a calm one asks after it.
struct Calm {
  std::string keys, tokens, store;
  Round first;
  std::string plan, questions;
};

inline const std::string kPeopleOfFaults = "synthetic:social,nodes=1500,attributes=40,signal=.6";
inline const std::string kStart = "--campaign spring --epsilon 8";

inline Calm begin_calmly() {
  Calm calm;
  CollectorProcess network(kPeopleOfFaults);
  network.must("campaign start", network.data() + kStart);
  network.must("enrol", network.data() + "--keys " + network.file("keys") + " --out " + network.file("tokens.csv"));
  network.must("campaign backup", "--out " + network.file("begun.db"));
  calm.keys = content_of(network.file("keys"));
  calm.tokens = content_of(network.file("tokens.csv"));
  calm.store = content_of(network.file("begun.db"));
  network.serve();
  calm.first = round_of(network, 0);
  play_calmly(network, calm.first, 0);
  network.must("campaign ask", network.data());
  network.serve();
  calm.plan = lasting_part(plan_of(network));
  static_cast<void>(round_of(network, 1));
  calm.questions = content_of(network.file("questions.csv"));
  return calm;
}

}  // namespace ppgnn::test
