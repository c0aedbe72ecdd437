// A device in C++: opens a plan, shows what would leave, makes the campaign's report, and gets the same one again.
// report PLAN LEDGER NAME
#include <cstdio>
#include <fstream>
#include <iterator>
#include <ppgnn/client/client.hpp>
#include <ppgnn/client/file_storage.hpp>
#include <string>
#include <vector>

namespace {

using namespace ppgnn;

// Makes the report, or says why there is none.
Result<client::Sent> submit(const std::string& plan, const char* ledger_file, const char* name,
                            std::vector<std::uint8_t>& bytes) {
  Result<client::Client> device = client::Client::make(plan);  // verifies the plan's certificate
  if (!device) return device.error();
  // What the person agreed to, once, in the application's settings.
  if (Result<void> agreed = device->agree({.report = 2.5, .lifetime = 10}); !agreed) return agreed.error();
  device->set_person(name);

  // What would leave, at each level: for the person to choose.
  for (std::uint32_t level = 1; level <= device->plan().levels().size(); ++level) {
    const Result<std::string> words = device->preview(ldp::Level{level});
    if (!words) return words.error();
    std::printf("%s\n", words->c_str());
  }

  const Result<client::Storage> file = client::file_storage(ledger_file);
  if (!file) return file.error();
  Result<client::Ledger> ledger = client::Ledger::open(*file, device->largest_report());
  if (!ledger) return ledger.error();
  bytes.resize(device->largest_report());
  const std::vector<std::uint32_t> columns{0, 2, 3};  // the person's own: never in a log
  return device->report(ldp::Level{1}, ldp::Row::ones(columns), /*round=*/0, *ledger, bytes);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string plan{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::uint8_t> bytes;
  const auto sent = submit(plan, arguments[2], arguments[3], bytes);
  if (!sent) {
    std::fprintf(stderr, "%s\n", sent.error().message.c_str());
    return 1;
  }
  std::printf("%s of %zu bytes, to be sent\n", sent->fresh ? "a new report" : "the report there is", sent->size);
}
