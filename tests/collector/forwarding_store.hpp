#pragma once

#include "ppgnn/store/store.hpp"

namespace ppgnn::test {

/// Hands everything on to another store; tests change what they need.
class ForwardingStore : public store::Store {
 public:
  explicit ForwardingStore(store::Store& real) : real_(real) {}

  std::string where() const override { return real_.where(); }
  store::Promises promises() const noexcept override { return real_.promises(); }
  Result<std::optional<store::Campaign>> campaign() override { return real_.campaign(); }
  Result<std::uint64_t> generation() override { return real_.generation(); }
  Result<void> begin(std::string_view name, std::string_view split) override { return real_.begin(name, split); }
  Result<void> enrol(std::span<const store::Person> people) override { return real_.enrol(people); }
  Result<void> publish(std::uint32_t number, const store::Round& round, std::span<const store::Asked> asked) override {
    return real_.publish(number, round, asked);
  }
  Result<void> close(std::uint32_t number) override { return real_.close(number); }
  Result<void> conclude(std::string_view text) override { return real_.conclude(text); }
  Result<void> alone(const std::function<Result<void>()>& action) override { return real_.alone(action); }
  Result<std::optional<std::string>> predictions() override { return real_.predictions(); }
  Result<void> keep(std::string_view name, std::string_view text) override { return real_.keep(name, text); }
  Result<std::optional<std::string>> kept(std::string_view name) override { return real_.kept(name); }
  Result<void> hint(std::span<const store::Asked> hints) override { return real_.hint(hints); }
  Result<std::vector<std::uint8_t>> hint_of(std::string_view name) override { return real_.hint_of(name); }
  Result<void> each_hint(const store::TakeBytes& take) override { return real_.each_hint(take); }
  Result<std::vector<store::Outcome>> put(std::span<const store::Submission> reports) override {
    return real_.put(reports);
  }
  Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> receipt) override {
    return real_.erase(name, receipt);
  }
  Result<std::vector<std::string>> erased() override { return real_.erased(); }
  Result<std::vector<std::string>> receipts() override { return real_.receipts(); }
  Result<std::vector<store::Standing>> standings(std::span<const std::string_view> names) override {
    return real_.standings(names);
  }
  Result<bool> reported(std::string_view name) override { return real_.reported(name); }
  Result<void> each_person(const store::TakePerson& take, std::optional<std::string_view> after,
                           std::size_t most) override {
    return real_.each_person(take, after, most);
  }
  Result<void> each_asked(std::uint32_t round, const store::TakeBytes& take) override {
    return real_.each_asked(round, take);
  }
  Result<void> each_report(std::uint32_t round, const store::TakeBytes& take) override {
    return real_.each_report(round, take);
  }
  Result<store::Counts> counts() override { return real_.counts(); }
  Result<void> archive() override { return real_.archive(); }
  Result<std::string> remove() override { return real_.remove(); }
  Result<std::vector<store::Entry>> trail() override { return real_.trail(); }
  Result<std::uint64_t> request(std::string_view step) override { return real_.request(step); }
  Result<std::optional<store::Work>> take_work() override { return real_.take_work(); }
  Result<void> tell_work(std::uint64_t number, std::string_view state, std::string_view progress) override {
    return real_.tell_work(number, state, progress);
  }
  Result<std::vector<store::Work>> work() override { return real_.work(); }
  Result<void> backup(const std::filesystem::path& path) override { return real_.backup(path); }

 private:
  store::Store& real_;
};

}  // namespace ppgnn::test
