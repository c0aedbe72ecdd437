// A method beside its control and training without privacy, and what an attacker guesses of its reports.
#include <cstdio>
#include <ppgnn/api/attack.hpp>
#include <ppgnn/api/study.hpp>

int main() {
  const auto data = ppgnn::api::Data::load("synthetic:social,nodes=400");
  if (!data) return std::fprintf(stderr, "%s\n", data.error().message.c_str()), 1;
  ppgnn::api::StudyOptions options;
  options.runs = 2;
  const auto rows = ppgnn::api::run(*data, {{"method", "strict"}, {"epsilon", "2"}, {"epochs", "30"}}, options);
  if (!rows) return std::fprintf(stderr, "%s\n", rows.error().message.c_str()), 1;
  for (const auto& row : *rows) {
    std::printf("%-12s %.3f [%.3f, %.3f], %.2f nats\n", row.name.c_str(), row.mean, row.low, row.high, row.spent_mean);
  }
  const auto attacked = ppgnn::api::attack(*data, {{"method", "strict"}, {"targets", "2000"}}, options);
  if (!attacked) return std::fprintf(stderr, "%s\n", attacked.error().message.c_str()), 1;
  std::printf("levels guessed right: %.3f, certified at most %.3f\n", attacked->level_success.value_or(0),
              attacked->level_bound.value_or(1));
}
