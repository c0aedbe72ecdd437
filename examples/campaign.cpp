// The server's steps of a campaign in a folder: start, status and, before anybody reports, a forecast. Devices report
// between the steps (report.cpp); `ppgnn campaign --help` has the same as commands.
#include <cstdio>
#include <ppgnn/api/campaign.hpp>
#include <ppgnn/api/forecast.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: campaign FOLDER\n"), 2;
  const auto data = ppgnn::api::Data::load("synthetic:social,nodes=500");
  if (!data) return std::fprintf(stderr, "%s\n", data.error().message.c_str()), 1;
  const auto expected = ppgnn::api::forecast(*data);
  if (!expected) return std::fprintf(stderr, "%s\n", expected.error().message.c_str()), 1;
  std::printf("graph alone %.1f%%; a campaign is expected to add %.1f points\n", 100 * expected->control,
              expected->points);

  auto campaign = ppgnn::api::Campaign::in_folder(argv[1]);
  ppgnn::ldp::PlanRequest request;
  request.columns = data->schema().value();
  request.budgets = {1, 2, 4};
  if (auto started = campaign.start(*data, "example.org-spring", request); !started) {
    return std::fprintf(stderr, "%s\n", started.error().message.c_str()), 1;
  }
  const auto rounds = campaign.rounds();
  std::printf("round 0: %s, %llu people\n", rounds->front().role.c_str(),
              static_cast<unsigned long long>(rounds->front().people));
  // Without any report the next step says what is missing.
  const auto asked = campaign.ask(*data);
  std::printf("%s\n", asked ? "asked" : asked.error().message.c_str());
}
