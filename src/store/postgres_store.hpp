#pragma once

#include "store/postgres_connections.hpp"

namespace ppgnn::store {

/// A store in a PostgreSQL database, in the schema `ppgnn`. Steps and erasure stand in postgres_store.cpp, groups of reports in
/// postgres_groups.cpp, what only reads in postgres_reading.cpp.
class PostgresStore final : public Store, private PostgresConnections {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const Where& where, Opening opening);

  [[nodiscard]] std::string where() const override { return where_; }
  [[nodiscard]] Promises promises() const noexcept override { return {}; }

  Result<void> begin(std::string_view name, std::string_view split) override;
  Result<void> enrol(std::span<const Person> people) override;
  Result<void> publish(std::uint32_t number, const Round& round, std::span<const Asked> asked) override;
  Result<void> close(std::uint32_t number) override;
  Result<void> conclude(std::string_view predictions) override;
  Result<void> alone(const std::function<Result<void>()>& action) override;
  Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> given) override;
  Result<void> backup(const std::filesystem::path& path) override;
  Result<void> archive() override;
  Result<std::string> remove() override;
  Result<std::vector<Entry>> trail() override;
  Result<std::uint64_t> request(std::string_view step) override;
  Result<std::optional<Work>> take_work() override;
  Result<void> tell_work(std::uint64_t number, std::string_view state, std::string_view progress) override;
  Result<std::vector<Work>> work() override;

  Result<std::vector<Outcome>> put(std::span<const Submission> reports) override;

  Result<std::optional<Campaign>> campaign() override;
  Result<std::uint64_t> generation() override;
  Result<std::optional<std::string>> predictions() override;
  Result<void> keep(std::string_view name, std::string_view text) override;
  Result<std::optional<std::string>> kept(std::string_view name) override;
  Result<void> hint(std::span<const Asked> hints) override;
  Result<std::vector<std::uint8_t>> hint_of(std::string_view name) override;
  Result<void> each_hint(const TakeBytes& take) override;
  Result<std::vector<std::string>> erased() override;
  Result<std::vector<std::string>> receipts() override;
  Result<std::vector<Standing>> standings(std::span<const std::string_view> names) override;
  Result<bool> reported(std::string_view name) override;
  Result<void> each_person(const TakePerson& take, std::optional<std::string_view> after, std::size_t most) override;
  Result<void> each_asked(std::uint32_t round, const TakeBytes& take) override;
  Result<void> each_report(std::uint32_t round, const TakeBytes& take) override;
  Result<Counts> counts() override;

 private:
  using PostgresConnections::PostgresConnections;

  [[nodiscard]] Result<void> write_beginning(std::string_view name, std::string_view split);
  [[nodiscard]] Result<void> write_enrolment(std::span<const Person> people);
  [[nodiscard]] Result<void> write_round(std::uint32_t number, const Round& round, std::span<const Asked> asked);
  [[nodiscard]] Result<void> write_erasure(std::string_view name, std::optional<std::string_view> given,
                                           std::optional<std::string>& receipt);
  [[nodiscard]] Result<void> write_group(std::span<const Submission> reports, std::vector<Outcome>& outcomes);
  [[nodiscard]] Result<void> look_at_others(std::span<const Submission> reports, std::vector<Outcome>& outcomes);
  /// The first column of every row, as text.
  [[nodiscard]] Result<std::vector<std::string>> texts(const Sql& sql);
};

}  // namespace ppgnn::store
