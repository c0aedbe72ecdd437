#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "client/handle.hpp"
#include "ppgnn/client/features.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/ldp/answer_response.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/words.hpp"

namespace {

using ppgnn::Error;
using ppgnn::ErrorCode;
using ppgnn::Result;
using ppgnn::client::Client;
using ppgnn::client::Ledger;
using ppgnn::client::LedgerEntry;
using ppgnn::ldp::Level;

constexpr const char* kSmall = "buffers: too small";
constexpr const char* kNoFeatures = "features: they are missing, or their form is none";

// Of a plan or question; a malformed ledger is PPGNN_DAMAGED, which the calls that read one say.
int code_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::malformed:
      return PPGNN_MALFORMED;
    case ErrorCode::mismatch:
      return PPGNN_MISMATCH;
    case ErrorCode::certificate:
      return PPGNN_CERTIFICATE;
    case ErrorCode::io:
    case ErrorCode::unavailable:
      return PPGNN_STORAGE;
    case ErrorCode::over_limit:
      return PPGNN_OVER_LIMIT;
    case ErrorCode::reported:
      return PPGNN_REPORTED;
    case ErrorCode::rolled_back:
      return PPGNN_ROLLED_BACK;
    case ErrorCode::not_permitted:
      return PPGNN_NOT_PERMITTED;
    case ErrorCode::invalid_argument:
    case ErrorCode::diverged:
      break;
  }
  return PPGNN_INVALID_ARGUMENT;
}

void put_sentence(std::string_view why, char* buffer, std::size_t capacity) noexcept {
  if (buffer == nullptr || capacity == 0) return;
  const std::size_t size = std::min(why.size(), capacity - 1);
  std::copy_n(why.data(), size, buffer);
  buffer[size] = '\0';
}

int fail_ledger(ppgnn_client* client, const Error& why) noexcept {
  return client->fail(why.code == ErrorCode::malformed ? PPGNN_DAMAGED : code_of(why.code), why.message);
}

int needs_ledger(ppgnn_client* client) noexcept {
  return client->ledger ? PPGNN_OK : client->fail(PPGNN_NO_LEDGER, "ledger: there is none; ppgnn_use_ledger first");
}

int put_text(ppgnn_client* client, std::string_view text, char* buffer, std::size_t capacity,
             std::size_t* size) noexcept {
  if (size != nullptr) *size = text.size();
  if (buffer == nullptr || capacity <= text.size())
    return client->fail(PPGNN_TOO_SMALL, "text: the buffer is too small");
  std::copy(text.begin(), text.end(), buffer);  // a text that is empty may be nowhere
  buffer[text.size()] = '\0';
  return PPGNN_OK;
}

int put_report(ppgnn_client* client, std::span<const std::uint8_t> bytes, std::uint8_t* buffer, std::size_t capacity,
               std::size_t* size) noexcept {
  const int code = ppgnn::client::put_bytes(bytes, buffer, capacity, size);
  return code == PPGNN_OK ? code : client->fail(code, "report: the buffer is too small");
}

ppgnn_entry entry_of(const LedgerEntry& entry) noexcept {
  ppgnn_entry shown{};
  shown.state = static_cast<std::uint32_t>(entry.state);
  shown.bytes = static_cast<std::uint32_t>(entry.report.size());
  shown.counted = entry.counted;
  shown.features = entry.features;
  shown.level = entry.level;
  std::copy(entry.plan.begin(), entry.plan.end(), shown.plan);
  std::copy(entry.campaign.begin(), entry.campaign.end(), shown.campaign);
  return shown;
}

// The guess that somebody at 50:50 comes to at most, in percent.
double percent_of(double loss) noexcept {
  return 100 / (1 + std::exp(-loss));
}

}  // namespace

int ppgnn_client::fail(int code, std::string_view why) noexcept {
  put_sentence(why, error.data(), error.size());
  return code;
}

int ppgnn_client::fail(const Error& why) noexcept {
  return fail(code_of(why.code), why.message);
}

namespace ppgnn::client {

std::optional<ldp::Row> row_of(const ppgnn_features* features) noexcept {
  if (features == nullptr) return std::nullopt;
  const std::size_t count = features->count;
  const bool has_columns = features->columns != nullptr || count == 0;
  const bool has_values = features->values != nullptr || count == 0;
  switch (features->form) {
    case PPGNN_DENSE:
      if (has_values) return ldp::Row::dense({features->values, count});
      break;
    case PPGNN_SPARSE:
      if (has_columns && has_values) return ldp::Row::sparse({features->columns, count}, {features->values, count});
      break;
    case PPGNN_ONES:
      if (has_columns) return ldp::Row::ones({features->columns, count});
      break;
    default:
      break;
  }
  return std::nullopt;
}

int put_bytes(std::span<const std::uint8_t> bytes, std::uint8_t* buffer, std::size_t capacity,
              std::size_t* size) noexcept {
  if (size != nullptr) *size = bytes.size();
  if (buffer == nullptr || capacity < bytes.size()) return PPGNN_TOO_SMALL;
  std::copy(bytes.begin(), bytes.end(), buffer);
  return PPGNN_OK;
}

}  // namespace ppgnn::client

int ppgnn_abi_version(void) {
  return PPGNN_ABI_VERSION;
}

int ppgnn_open(const char* plan, std::size_t size, ppgnn_client** client, char* error, std::size_t capacity) {
  put_sentence("", error, capacity);
  if (client == nullptr || plan == nullptr) return PPGNN_INVALID_ARGUMENT;
  *client = nullptr;
  Result<Client> made = Client::make({plan, size});
  if (!made) {
    put_sentence(made.error().message, error, capacity);
    return code_of(made.error().code);
  }
  *client = new ppgnn_client{std::move(made).value()};
  return PPGNN_OK;
}

void ppgnn_close(ppgnn_client* client) {
  delete client;
}

const char* ppgnn_error(const ppgnn_client* client) {
  return client->error.data();
}

int ppgnn_set_person(ppgnn_client* client, const char* name, std::size_t size) {
  if (name == nullptr || size == 0) return client->fail(PPGNN_INVALID_ARGUMENT, "person: a name is missing");
  client->client.set_person({name, size});
  return PPGNN_OK;
}

int ppgnn_set_question(ppgnn_client* client, const std::uint8_t* bytes, std::size_t size) {
  if (bytes == nullptr) return client->fail(PPGNN_INVALID_ARGUMENT, "question: it is missing");
  const Result<void> set = client->client.set_question({bytes, size});
  return set ? PPGNN_OK : client->fail(set.error());
}

int ppgnn_set_recipient(ppgnn_client* client, const char* name, std::size_t size) {
  const Result<void> set = client->client.set_recipient({name, name == nullptr ? 0 : size});
  return set ? PPGNN_OK : client->fail(set.error());
}

int ppgnn_permit(ppgnn_client* client, std::uint32_t permissions) {
  if (permissions > (PPGNN_PERMIT_OTHER_RECIPIENT | PPGNN_PERMIT_UNNAMED_AGAIN)) {
    return client->fail(PPGNN_INVALID_ARGUMENT, "permissions: there are no such ones");
  }
  client->client.permit(permissions);
  return PPGNN_OK;
}

void ppgnn_default_limits(ppgnn_limits* limits) {
  const ppgnn::client::Limits usual;
  *limits = {.report = usual.report,
             .lifetime = usual.lifetime,
             .reports = usual.reports,
             .level_disclosed = 0,
             .reserved = 0};
}

int ppgnn_agree(ppgnn_client* client, const ppgnn_limits* limits) {
  if (limits == nullptr) return client->fail(PPGNN_INVALID_ARGUMENT, "limits: they are missing");
  const Result<void> agreed = client->client.agree({.report = limits->report,
                                                    .level_disclosed = limits->level_disclosed == 1,
                                                    .lifetime = limits->lifetime,
                                                    .reports = limits->reports});
  return agreed ? PPGNN_OK : client->fail(agreed.error());
}

int ppgnn_plan(ppgnn_client* client, ppgnn_plan_facts* facts) {
  const ppgnn::ldp::Plan& plan = client->client.plan();
  *facts = {.levels = static_cast<std::uint32_t>(plan.levels().size()),
            .columns = plan.schema().dim(),
            .level_is_public = static_cast<std::uint32_t>(ppgnn::ldp::is_public(plan)),
            .asks = static_cast<std::uint32_t>(plan.tables().model.has_value()),
            .needs_person = static_cast<std::uint32_t>(plan.tables().campaign.has_value()),
            .notes = static_cast<std::uint32_t>(ppgnn::ldp::notes_on(plan).size()),
            .largest_spend = ppgnn::client::largest_spend(plan),
            .level_loss = plan.certificate().level_given_features};
  return PPGNN_OK;
}

int ppgnn_level(ppgnn_client* client, std::uint32_t level, ppgnn_level_facts* facts) {
  const ppgnn::ldp::Plan& plan = client->client.plan();
  if (!plan.has(Level{level})) return client->fail(PPGNN_INVALID_ARGUMENT, "level: the plan has no such level");
  const double loss = plan.certificate().features[level - 1];
  *facts = {.budget = plan.levels()[level - 1].budget,
            .spend = ppgnn::ldp::spent(plan, level - 1),
            .odds = std::exp(loss),
            .percent = percent_of(loss),
            .level_percent = percent_of(plan.certificate().level_given_features),
            .bytes = static_cast<std::uint32_t>(client->client.size_of(Level{level}, 0)),
            .reserved = 0};
  return PPGNN_OK;
}

int ppgnn_text(ppgnn_client* client, std::int32_t kind, std::uint32_t index, char* buffer, std::size_t capacity,
               std::size_t* size) {
  const Client& device = client->client;
  const ppgnn::ldp::Plan& plan = device.plan();
  const auto& campaign = plan.tables().campaign;
  const auto put = [&](std::string_view text) { return put_text(client, text, buffer, capacity, size); };
  const auto none = [&] { return client->fail(PPGNN_NOT_THERE, "text: there is none of this kind and number"); };
  switch (kind) {
    case PPGNN_TEXT_KIND:
      return put(to_text(plan.kind()));
    case PPGNN_TEXT_TITLE:
      return put(ppgnn::ldp::title_of(plan));
    case PPGNN_TEXT_INTRODUCTION:
      return put(ppgnn::ldp::introduction_to(plan));
    case PPGNN_TEXT_NOTE: {
      const auto notes = ppgnn::ldp::notes_on(plan);
      return index < notes.size() ? put(notes[index]) : none();
    }
    case PPGNN_TEXT_CAMPAIGN:
      return put(campaign ? campaign->name : "");
    case PPGNN_TEXT_RULE:
      return put(campaign ? campaign->rule : "");
    case PPGNN_TEXT_HASH:
      return put(ppgnn::to_hex(plan.hash()));
    case PPGNN_TEXT_COLUMN:
      return index < plan.schema().dim() ? put(plan.schema().column_name(index)) : none();
    case PPGNN_TEXT_QUESTION: {
      const Result<std::string> words = device.question_words(Level{index});
      return words ? put(*words) : client->fail(PPGNN_NOT_THERE, words.error().message);
    }
    case PPGNN_TEXT_LEDGER: {
      if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
      if (!plan.has(Level{index})) return none();
      const auto words = device.ledger_words(Level{index}, *client->ledger);
      return words ? put(*words) : fail_ledger(client, words.error());
    }
    case PPGNN_TEXT_RECIPIENT: {
      if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
      const auto found = client->ledger->entry(index);
      if (!found) return fail_ledger(client, found.error());
      return *found ? put((*found)->recipient) : none();
    }
    case PPGNN_TEXT_CLASS: {
      const auto& model = plan.tables().model;
      return model && index < model->classes.size() ? put(model->classes[index]) : none();
    }
    case PPGNN_TEXT_GROUP:
      return index < plan.schema().groups().size() ? put(plan.schema().groups()[index].name) : none();
    default:
      return none();
  }
}

int ppgnn_preview(ppgnn_client* client, std::uint32_t level, char* buffer, std::size_t capacity, std::size_t* size) {
  const Result<std::string> words = client->client.preview(Level{level});
  return words ? put_text(client, *words, buffer, capacity, size) : client->fail(words.error());
}

int ppgnn_example(ppgnn_client* client, std::uint32_t level, std::uint64_t round, std::uint8_t* buffer,
                  std::size_t capacity, std::size_t* size) {
  const auto bytes = client->client.example(Level{level}, round);
  return bytes ? put_report(client, *bytes, buffer, capacity, size) : client->fail(bytes.error());
}

int ppgnn_use_ledger(ppgnn_client* client, const ppgnn_storage* storage) {
  client->ledger.reset();
  if (storage == nullptr) return client->fail(PPGNN_INVALID_ARGUMENT, "ledger: its storage is missing");
  Result<Ledger> ledger = Ledger::open(*storage, client->client.largest_report());
  if (!ledger) return fail_ledger(client, ledger.error());
  client->ledger.emplace(std::move(ledger).value());
  return PPGNN_OK;
}

int ppgnn_ledger_sums(ppgnn_client* client, ppgnn_sums* sums) {
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  const auto spending = client->ledger->spending();
  if (!spending) return fail_ledger(client, spending.error());
  const auto standing = client->client.standing(*client->ledger);
  std::uint32_t state = PPGNN_STATE_NONE;
  if (!standing && standing.error().code != ErrorCode::reported) return fail_ledger(client, standing.error());
  if (!standing) {
    state = PPGNN_STATE_OTHER;
  } else if (*standing) {
    state = static_cast<std::uint32_t>((*standing)->state);
  }
  *sums = {.entries = spending->entries,
           .state = state,
           .reports = spending->reports,
           .counted = spending->counted,
           .features = spending->features,
           .level = spending->level};
  return PPGNN_OK;
}

int ppgnn_ledger_entry(ppgnn_client* client, std::uint32_t index, ppgnn_entry* entry) {
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  const auto found = client->ledger->entry(index);
  if (!found) return fail_ledger(client, found.error());
  if (!*found) return client->fail(PPGNN_NOT_THERE, "ledger: there is no such entry");
  *entry = entry_of(**found);
  return PPGNN_OK;
}

int ppgnn_not_asked(ppgnn_client* client) {
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  const Result<void> noted = client->client.note_not_asked(*client->ledger);
  return noted ? PPGNN_OK : fail_ledger(client, noted.error());
}

int ppgnn_read_features(ppgnn_client* client, const char* bytes, std::size_t size, std::uint32_t* columns,
                        float* values, std::size_t capacity, std::size_t* count) {
  if (bytes == nullptr) return client->fail(PPGNN_INVALID_ARGUMENT, "features: the file is missing");
  const auto read = ppgnn::client::read_features({bytes, size}, client->client.plan().schema());
  if (!read) return client->fail(read.error());
  const std::size_t listed = read->columns.size();
  if (count != nullptr) *count = listed;
  if (listed == 0) return PPGNN_OK;
  if (columns == nullptr || values == nullptr || capacity < listed) {
    return client->fail(PPGNN_TOO_SMALL, kSmall);
  }
  std::copy(read->columns.begin(), read->columns.end(), columns);
  std::copy(read->values.begin(), read->values.end(), values);
  return PPGNN_OK;
}

int ppgnn_report_size(ppgnn_client* client, std::size_t* size) {
  *size = client->client.largest_report();
  return PPGNN_OK;
}

int ppgnn_report(ppgnn_client* client, std::uint32_t level, const ppgnn_features* features, std::uint64_t round,
                 std::uint8_t* buffer, std::size_t capacity, std::size_t* size, std::int32_t* fresh) {
  if (!client->client.has_agreed()) return client->fail(PPGNN_NOT_AGREED, "limits: the person agreed to none");
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  const std::size_t most = client->client.largest_report();
  if (size != nullptr) *size = most;
  if (buffer == nullptr || capacity < most) return client->fail(PPGNN_TOO_SMALL, "report: the buffer is too small");
  const auto row = ppgnn::client::row_of(features);
  if (!row) return client->fail(PPGNN_INVALID_ARGUMENT, kNoFeatures);
  const auto sent = client->client.report(Level{level}, *row, round, *client->ledger, {buffer, capacity});
  if (!sent) return fail_ledger(client, sent.error());
  if (size != nullptr) *size = sent->size;
  if (fresh != nullptr) *fresh = static_cast<std::int32_t>(sent->fresh);
  return PPGNN_OK;
}

int ppgnn_resend(ppgnn_client* client, std::uint8_t* buffer, std::size_t capacity, std::size_t* size) {
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  const auto report = client->client.resend(*client->ledger);
  if (!report) return fail_ledger(client, report.error());
  if (report->empty()) return client->fail(PPGNN_NOT_THERE, "report: there is none yet");
  return put_report(client, *report, buffer, capacity, size);
}

int ppgnn_set_model(ppgnn_client* client, const char* model, std::size_t size, const std::uint8_t* hint,
                    std::size_t hint_size) {
  const Result<void> set = client->client.set_model({model, size}, {hint, hint_size});
  return set ? PPGNN_OK : client->fail(set.error());
}

int ppgnn_decide(ppgnn_client* client, const ppgnn_features* features, ppgnn_decision* decision,
                 std::uint32_t* probabilities, std::int32_t* groups, std::size_t capacity) {
  const Client& device = client->client;
  const auto& model = device.plan().tables().model;
  const std::size_t classes = model ? model->classes.size() : 0;
  const std::size_t reasons = device.plan().schema().groups().size();
  decision->classes = static_cast<std::uint32_t>(classes);
  decision->groups = static_cast<std::uint32_t>(reasons);
  if (const int code = needs_ledger(client); code != PPGNN_OK) return code;
  if (capacity < classes || (groups != nullptr && capacity < reasons)) {
    return client->fail(PPGNN_TOO_SMALL, kSmall);
  }
  const auto row = ppgnn::client::row_of(features);
  if (!row) return client->fail(PPGNN_INVALID_ARGUMENT, kNoFeatures);
  const auto decided =
      device.decide(*row, *client->ledger, {probabilities, classes}, {groups, groups == nullptr ? 0 : reasons});
  if (!decided) return fail_ledger(client, decided.error());
  decision->first = decided->first;
  decision->second = decided->second;
  decision->graph = decided->graph;
  decision->features = decided->features;
  return PPGNN_OK;
}
