#pragma once

#include "ppgnn/audit/falsifier.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "privacy/steps.hpp"

/// Devices as the falsifier takes them: each with its own stream.
namespace ppgnn::test {

using seeded::SeededStream;

/// A device made of steps, with its own stream.
template <class Device>
audit::ReportSource device_of(const ldp::Plan& plan, std::uint64_t seed) {
  return [device = make_device<Device>(plan), bits = SeededStream(seed, seeded::Purpose::test, 1)](
             ldp::Level level, const ldp::Row& row) mutable -> Result<ldp::Report> {
    ldp::Report report;
    report.seeded = true;
    report_of(device, level, row, bits, report);
    return report;
  };
}

/// The product's own code, seeded.
inline audit::ReportSource correct_device(const ldp::Plan& plan, std::uint64_t seed) {
  return [&plan, person = Person(plan), bits = SeededStream(seed, seeded::Purpose::test, 1)](
             ldp::Level level, const ldp::Row& row) mutable -> Result<ldp::Report> {
    ldp::Report report;
    ldp::perturb(plan, level, row, person.asked(), bits, report);
    return report;
  };
}

}  // namespace ppgnn::test
