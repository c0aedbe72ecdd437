// A graph that a program has in memory, one simulated run of a method on it, and everybody's class.
#include <cstdio>
#include <ppgnn/api/fit.hpp>

int main() {
  // Two circles of friends who like different things: who is in which is known of most.
  ppgnn::api::DataParts parts;
  parts.people = 60;
  parts.columns = 8;
  parts.classes = {"chess", "rowing"};
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> likes;
  for (std::uint32_t person = 0; person < parts.people; ++person) {
    const std::uint32_t circle = person % 2;
    for (const std::uint32_t step : {2U, 4U, 6U}) parts.pairs.push_back({person, (person + step) % 60});
    for (const std::uint32_t like : {circle, circle + 2 * (1 + person % 3)}) likes.push_back(like);
    offsets.push_back(likes.size());
    parts.labels.push_back(person % 5 == 0 ? -1 : static_cast<std::int32_t>(circle));
  }
  parts.features = {{offsets, nullptr}, {likes, nullptr}, {}};  // lent: both outlive the data
  const auto data = ppgnn::api::Data::make(parts);
  if (!data) return std::fprintf(stderr, "%s\n", data.error().message.c_str()), 1;

  const auto fitted = ppgnn::api::fit(*data, {{"method", "strict"}, {"epsilon", "2"}, {"epochs", "50"}});
  if (!fitted) return std::fprintf(stderr, "%s\n", fitted.error().message.c_str()), 1;
  std::printf("accuracy %.2f, the graph alone %.2f; person 0 is in %s with probability %.2f and spent %.2f nats\n",
              fitted->metrics.at("accuracy"), fitted->control->at("accuracy"), fitted->learned.classes[0].c_str(),
              static_cast<double>(fitted->probabilities[0]), fitted->spent[0]);
  const auto strangers = ppgnn::api::predict(fitted->learned, *data);
  if (!strangers) return std::fprintf(stderr, "%s\n", strangers.error().message.c_str()), 1;
  std::printf("%zu probabilities of people whom the run never saw\n", strangers->size());
}
