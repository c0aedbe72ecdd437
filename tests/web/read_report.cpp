// Whether the server reads a report: read_report PLAN REPORT prints its kind, or why it does not.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace {

std::string content_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto plan = ppgnn::ldp::Plan::parse(content_of(argv[1]));
  if (!plan) return refuse(plan.error().message);
  const std::string bytes = content_of(argv[2]);
  const auto report = ppgnn::wire::decode(*plan, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!report) return refuse(report.error().message);
  if (report->seeded) return refuse("the report is seeded");
  std::printf("%s round %llu\n", std::string(to_text(plan->kind())).c_str(),
              static_cast<unsigned long long>(report->round));
  return 0;
}
