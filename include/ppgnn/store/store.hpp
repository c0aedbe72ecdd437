#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/store/trail.hpp"

namespace ppgnn::store {

/// One round of a campaign: a plan and the people it is for. Rounds are numbered from 0; a report names its round.
struct Round {
  std::string plan;    ///< docs/formats/plan.md
  std::string people;  ///< the list whose digest the plan holds; empty: everybody who is enrolled
  bool open = true;    ///< whether reports are taken
};

/// What a store says of its one campaign.
struct Campaign {
  std::string name;
  std::string split;             ///< who teaches and who judges (docs/formats/files.md); empty: not settled yet
  std::vector<Round> rounds;     ///< only the last may be open
  std::uint64_t generation = 0;  ///< another one after every step
  bool concluded = false;        ///< whether there are predictions
  bool archived = false;         ///< nobody writes any more but erasures
  std::string removed;           ///< the receipt of its removal; empty: it is there
};

/// A step that somebody asked for, to be carried out where graph and labels are (`ppgnn campaign work`).
struct Work {
  std::uint64_t number = 0;  ///< from 1
  std::string step;          ///< such as "train"
  std::string state;         ///< "waiting", "working", "done", "failed"
  std::string progress;      ///< in words
  std::int64_t told = 0;     ///< when somebody last said something of it, in seconds since 1970
};

/// Somebody who may report. Where levels are public, enrolment records the declared one.
struct Person {
  std::string name;
  std::optional<std::uint32_t> level;
};

/// Somebody whom a round is for, with the bytes of the question where the plan asks one; or somebody's hint.
struct Asked {
  std::string name;
  std::vector<std::uint8_t> question;
};

/// What is known of one person.
struct Standing {
  bool enrolled = false;
  std::optional<std::uint32_t> level;  ///< as declared
  std::optional<std::uint32_t> round;  ///< the one that the person is for
  std::vector<std::uint8_t> question;  ///< of that round; empty: none
  bool erased = false;
};

/// A report on its way into the store.
struct Submission {
  std::string name;
  std::uint32_t round = 0;
  std::vector<std::uint8_t> bytes;
};

/// What became of one.
enum class Outcome {
  stored,    ///< it is there now
  repeated,  ///< it was there, byte for byte
  differs,   ///< another one was there and stays
  erased,    ///< the person had theirs erased; none is taken in this campaign
  closed,    ///< the round takes none, and the person has none
};

/// What a kind of store can do that another cannot.
struct Promises {
  bool overwrites = false;  ///< what is erased or replaced is in no file of the store any more when the call returns
  bool backup = false;      ///< it copies itself to a file
};

/// Whoever reads says after each one whether to go on.
using TakePerson = std::function<bool(std::string_view name, const Standing& standing)>;
using TakeBytes = std::function<bool(std::string_view name, std::span<const std::uint8_t> bytes)>;

struct Counts {
  std::uint64_t enrolled = 0;
  std::uint64_t erased = 0;
  std::vector<std::uint64_t> reports;  ///< by round
};

/// How long somebody who works on a step may say nothing before another one takes it, in seconds.
inline constexpr std::int64_t kSilence = 60;

/// Keeps one campaign: its rounds, who may report, one report a person, and what came out. What a call says is done is on the
/// disk for good; what it says failed has not happened. A step that was done before is done again without any effect.
///
/// Errors   io where the disk is full or cannot be written; unavailable where somebody else holds the store for long or its server
///          does not answer; malformed for what is no store; mismatch for a step that does not fit the campaign's state. No message
///          names a person.
/// Threads  Any number, and any number of processes.
/// Source   docs/formats/store.md
class Store {
 public:
  virtual ~Store() = default;

  /// Where it is, for messages: "sqlite:campaign.db". Holds no secret.
  [[nodiscard]] virtual std::string where() const = 0;
  [[nodiscard]] virtual Promises promises() const noexcept = 0;
  /// Nothing where none was begun.
  [[nodiscard]] virtual Result<std::optional<Campaign>> campaign() = 0;
  /// The campaign's generation; 0 where none was begun. Cheap enough to be asked all the time; a step of another process shows after a moment.
  [[nodiscard]] virtual Result<std::uint64_t> generation() = 0;

  /// A campaign of this name, without rounds. Refused: another one is there.
  [[nodiscard]] virtual Result<void> begin(std::string_view name, std::string_view split) = 0;
  /// People who may report. Refused: somebody is there with another level, or without one.
  [[nodiscard]] virtual Result<void> enrol(std::span<const Person> people) = 0;
  /// The next round, for these people (none: for everybody); its number is `number`. Refused: the one before is open, somebody is in an
  /// earlier round, or the round is there with another plan.
  [[nodiscard]] virtual Result<void> publish(std::uint32_t number, const Round& round,
                                             std::span<const Asked> asked) = 0;
  /// No more reports of this round.
  [[nodiscard]] virtual Result<void> close(std::uint32_t number) = 0;
  /// What came out: predictions, as text. Replaces what there was.
  [[nodiscard]] virtual Result<void> conclude(std::string_view predictions) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> predictions() = 0;
  /// A text of the campaign's, by a short name: what is published where devices decide, and what the next step needs. Replaces what
  /// there was.
  [[nodiscard]] virtual Result<void> keep(std::string_view name, std::string_view text) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> kept(std::string_view name) = 0;
  /// What people's devices are told beside a published model. Refused: there is another one of somebody's.
  [[nodiscard]] virtual Result<void> hint(std::span<const Asked> hints) = 0;
  /// Of one person; empty: none.
  [[nodiscard]] virtual Result<std::vector<std::uint8_t>> hint_of(std::string_view name) = 0;
  /// In the order of names.
  [[nodiscard]] virtual Result<void> each_hint(const TakeBytes& take) = 0;
  /// While `action` runs nobody else writes, in this process or another: what it reads stays true. Its steps are one: all or nothing.
  [[nodiscard]] virtual Result<void> alone(const std::function<Result<void>()>& action) = 0;

  /// First write wins; all of them in one flush to the disk.
  [[nodiscard]] virtual Result<std::vector<Outcome>> put(std::span<const Submission> reports) = 0;
  /// Removes a person's report, declared level, question and hint; the receipt: one from chance, or of another store's that is moved here.
  /// The person may not report in this campaign any more. Nothing for somebody who is not enrolled.
  [[nodiscard]] virtual Result<std::optional<std::string>> erase(
      std::string_view name, std::optional<std::string_view> receipt = std::nullopt) = 0;
  /// Names of people who were erased, in order.
  [[nodiscard]] virtual Result<std::vector<std::string>> erased() = 0;
  /// Their receipts, in the order of their names.
  [[nodiscard]] virtual Result<std::vector<std::string>> receipts() = 0;
  /// One a name, in their order.
  [[nodiscard]] virtual Result<std::vector<Standing>> standings(std::span<const std::string_view> names) = 0;
  /// Whether there is a report of this person's.
  [[nodiscard]] virtual Result<bool> reported(std::string_view name) = 0;
  /// Everybody enrolled, in the order of their names; or at most `most` people after somebody, so that nobody waits for long.
  [[nodiscard]] virtual Result<void> each_person(const TakePerson& take,
                                                 std::optional<std::string_view> after = std::nullopt,
                                                 std::size_t most = static_cast<std::size_t>(-1)) = 0;
  /// Everybody whom a round is for by name, enrolled or not, in the order of their names, with their questions.
  [[nodiscard]] virtual Result<void> each_asked(std::uint32_t round, const TakeBytes& take) = 0;
  /// A round's reports, in the order they came.
  [[nodiscard]] virtual Result<void> each_report(std::uint32_t round, const TakeBytes& take) = 0;
  /// As quick for a million people as for one.
  [[nodiscard]] virtual Result<Counts> counts() = 0;

  /// No step follows: nobody enrols, reports or publishes any more. People may still be erased. Refused: a round is open.
  [[nodiscard]] virtual Result<void> archive() = 0;
  /// Everything of an archived campaign goes for good, but its name, its trail and the receipt that this returns.
  [[nodiscard]] virtual Result<std::string> remove() = 0;
  /// Every step and every erasure, in the transaction that did it. Never changed, except that it grows.
  [[nodiscard]] virtual Result<std::vector<Entry>> trail() = 0;
  /// Who does what this handle does from now on, for the trail. Not while another thread takes a step or erases.
  void act_as(std::string who) { who_ = std::move(who); }

  /// Asks for a step; the number of the request, which is the one that waits already where it is the same step.
  [[nodiscard]] virtual Result<std::uint64_t> request(std::string_view step) = 0;
  /// The first request that waits, or whose worker was silent for kSilence: from now on the caller's. Nothing: there is none.
  [[nodiscard]] virtual Result<std::optional<Work>> take_work() = 0;
  /// How it goes. Refused: it is not being worked on.
  [[nodiscard]] virtual Result<void> tell_work(std::uint64_t number, std::string_view state,
                                               std::string_view progress) = 0;
  [[nodiscard]] virtual Result<std::vector<Work>> work() = 0;

  /// A copy that opens like the store, made while it is in use; appears complete or not at all. Refused by kinds that do not promise it.
  [[nodiscard]] virtual Result<void> backup(const std::filesystem::path& path) = 0;

 protected:
  std::string who_ = "somebody";
};

enum class Opening {
  existing,  ///< there must be one
  create,    ///< made if it is missing
};

/// The store that somebody names: "sqlite:PATH", and where there are several campaigns which one: "sqlite:FOLDER#NAME". An older form is
/// brought up to date, a newer one refused.
///
/// Errors  invalid_argument for another spelling, naming those there are; mismatch where there are several and none is named, or none of
///         that name; those of the store.
[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::string& where, Opening opening);

/// The campaigns at a place, each as `open` takes it, in the order of their names; of a place that names one, that one.
[[nodiscard]] Result<std::vector<std::string>> campaigns(const std::string& where);

/// The campaign that a place names; empty: none.
[[nodiscard]] std::string name_in(const std::string& where);
/// What names of campaigns are made of: 1 to 64 letters, digits, dots, dashes, underscores, and no dot to begin with.
[[nodiscard]] bool is_plain_name(std::string_view name);

/// The file that such a store is, for those who must not write over it; empty where it is none.
[[nodiscard]] std::string file_of(const std::string& where);

}  // namespace ppgnn::store
