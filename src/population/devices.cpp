#include "ppgnn/population/devices.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "ppgnn/client/client.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/random/samplers.hpp"

namespace ppgnn::population {

namespace {

constexpr std::size_t kPeoplePerTask = 1024;

}  // namespace

void for_each_device(
    const Devices& devices, const kernels::Threads& threads,
    const std::function<ldp::Row(std::size_t person, std::vector<float>& buffer)>& row_at,
    const std::function<void(std::size_t person, const ldp::Row& row, seeded::SeededStream& bits)>& make) {
  const std::size_t people = devices.features->rows();
  assert(devices.levels.size() == people);
  const std::vector<std::uint32_t> held = holders(devices.content, people, devices.seed, devices.run);
  const std::vector<float> midpoints(devices.content == Content::nothing ? devices.features->cols() : 0,
                                     std::numeric_limits<float>::quiet_NaN());
  threads.for_each(kernels::tasks_of(people, kPeoplePerTask), [&](std::size_t task) {
    std::vector<float> buffer;
    for (std::size_t person = task * kPeoplePerTask; person < std::min(people, (task + 1) * kPeoplePerTask); ++person) {
      if (!devices.reporting.empty() && devices.reporting[person] == 0) continue;
      const std::uint64_t key = devices.keys.empty() ? devices.run << 32 | person : devices.keys[person];
      seeded::SeededStream bits(devices.seed, seeded::Purpose::perturb, key);
      make(person, devices.content == Content::nothing ? ldp::Row::dense(midpoints) : row_at(held[person], buffer),
           bits);
    }
  });
}

std::vector<std::uint32_t> holders(Content content, std::size_t people, std::uint64_t seed, std::uint64_t run) {
  std::vector<std::uint32_t> held(people);
  std::iota(held.begin(), held.end(), 0U);
  if (content != Content::shuffled) return held;
  seeded::SeededStream bits(seed, seeded::Purpose::shuffle, run);
  for (std::size_t left = people; left > 1; --left) std::swap(held[left - 1], held[random::below(left, bits)]);
  return held;
}

Asking::Asking(const ldp::Plan& plan, const graph::NodeNames& names, ldp::Questions questions)
    : questions_(std::move(questions)) {
  assert(!plan.tables().model || questions_.size() == names.size());
  const auto& campaign = plan.tables().campaign;
  salts_.reserve(names.size());
  for (graph::NodeId node = 0; node < names.size(); ++node) {
    salts_.push_back(campaign ? ldp::salt_of(campaign->name, names.name(node)) : 0);
  }
}

std::vector<ldp::Report> simulate_reports(const ldp::Plan& plan, const Devices& devices,
                                          const kernels::Threads& threads) {
  std::vector<ldp::Report> reports(devices.features->rows());
  const PlanRows rows(*devices.features, plan);
  for_each_device(
      devices, threads, [&](std::size_t person, std::vector<float>& buffer) { return rows.row(person, buffer); },
      [&](std::size_t person, const ldp::Row& row, seeded::SeededStream& bits) {
        if (devices.asking == nullptr) {
          ldp::perturb(plan, devices.levels[person], row, bits, reports[person]);
        } else if (devices.asking->is_asked(person)) {
          ldp::perturb(plan, devices.levels[person], row, devices.asking->asked(person), bits, reports[person]);
        }
      });
  return reports;
}

std::vector<wire::EncodedReport> seeded_reports(const ldp::Plan& plan, const Devices& devices,
                                                const kernels::Threads& threads) {
  std::vector<ldp::Report> made = simulate_reports(plan, devices, threads);
  std::vector<wire::EncodedReport> reports;
  for (std::uint32_t person = 0; person < made.size(); ++person) {
    if (devices.asking != nullptr && !devices.asking->is_asked(person)) continue;
    if (!devices.reporting.empty() && devices.reporting[person] == 0) continue;
    made[person].round = devices.round;
    reports.push_back({person, wire::encode(plan, made[person])});
  }
  return reports;
}

Result<std::vector<wire::EncodedReport>> device_reports(const ldp::Plan& plan, const PlanRows& rows,
                                                        const graph::NodeNames& names,
                                                        std::span<const ldp::Level> levels,
                                                        const ldp::Questions& questions,
                                                        std::span<const std::uint8_t> reporting, std::uint64_t round) {
  Result<client::Client> device = client::Client::make(plan.text());
  if (!device) return device.error();
  std::vector<wire::EncodedReport> reports;
  std::vector<float> buffer;
  for (std::uint32_t person = 0; person < levels.size(); ++person) {
    if (!reporting.empty() && reporting[person] == 0) continue;
    device->set_person(names.name(person));
    if (!questions.empty()) {
      if (!questions[person]) continue;
      if (Result<void> set = device->set_question(questions[person]->bytes()); !set) return set.error();
    }
    auto bytes = device->report(levels[person], rows.row(person, buffer), round);
    if (!bytes) return bytes.error();
    reports.push_back({person, std::move(bytes).value()});
  }
  return reports;
}

}  // namespace ppgnn::population
