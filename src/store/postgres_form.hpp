#pragma once

#include <array>
#include <cstdint>

#include "ppgnn/store/store.hpp"
#include "store/postgres.hpp"

namespace ppgnn::store {

/// One step a version of the form, docs/formats/store.md. What is there is never changed: another version is another step.
/// Everything has the campaign's key. A person has one row in `reports`: the report, or after erasure the receipt. Dead versions of rows
/// that erasure leaves are removed as soon as PostgreSQL looks for them.
constexpr std::array<const char*, 3> kPostgresMigrations{
    "CREATE TABLE ppgnn.form(application integer NOT NULL, version integer NOT NULL);"
    "CREATE TABLE ppgnn.campaign(id integer PRIMARY KEY, name bytea NOT NULL, split bytea NOT NULL,"
    " generation bigint NOT NULL, erasures bigint NOT NULL, concluded boolean NOT NULL DEFAULT false, predictions "
    "bytea)"
    " WITH (fillfactor = 50);"
    "CREATE TABLE ppgnn.rounds(campaign integer, number integer, plan bytea NOT NULL, people bytea NOT NULL,"
    " PRIMARY KEY (campaign, number));"
    "CREATE TABLE ppgnn.progress(campaign integer, round integer, open boolean NOT NULL, reports bigint NOT NULL,"
    " PRIMARY KEY (campaign, round)) WITH (fillfactor = 50);"
    "CREATE TABLE ppgnn.enrolled(campaign integer PRIMARY KEY, people bigint NOT NULL) WITH (fillfactor = 50);"
    "CREATE TABLE ppgnn.people(campaign integer, name bytea, level bigint, erased boolean NOT NULL DEFAULT false,"
    " PRIMARY KEY (campaign, name)) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);"
    "CREATE INDEX erased ON ppgnn.people(campaign, name) WHERE erased;"
    "CREATE TABLE ppgnn.asked(campaign integer, name bytea, round integer NOT NULL, question bytea NOT NULL,"
    " PRIMARY KEY (campaign, name)) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);"
    "CREATE TABLE ppgnn.reports(campaign integer, round integer, number bigint, name bytea NOT NULL, bytes bytea,"
    " receipt bytea, PRIMARY KEY (campaign, round, number), UNIQUE (campaign, name))"
    " WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);"
    "CREATE SEQUENCE ppgnn.groups;"
    "INSERT INTO ppgnn.form VALUES(1347438414, 0);",
    // Several campaigns, their end, what was done, and steps that somebody asked for.
    "ALTER TABLE ppgnn.campaign ADD archived boolean NOT NULL DEFAULT false, ADD removed bytea, ADD UNIQUE (name);"
    "CREATE TABLE ppgnn.trail(campaign integer, number bigint, time bigint NOT NULL, who bytea NOT NULL, what bytea "
    "NOT "
    "NULL, hash bytea NOT NULL, PRIMARY KEY (campaign, number));"
    "CREATE TABLE ppgnn.work(campaign integer, number bigint, step bytea NOT NULL, state bytea NOT NULL, progress "
    "bytea "
    "NOT NULL, told bigint NOT NULL, PRIMARY KEY (campaign, number));",
    // Decisions at home: texts by name, and what each person's device is told.
    "CREATE TABLE ppgnn.kept(campaign integer, name bytea, text bytea NOT NULL, PRIMARY KEY (campaign, name));"
    "CREATE TABLE ppgnn.hints(campaign integer, name bytea, hint bytea NOT NULL, PRIMARY KEY (campaign, name))"
    " WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0);"};
constexpr std::int64_t kPostgresApplication = 1347438414;  // "PPGN"; also the first half of the advisory lock's key
constexpr std::int64_t kPostgresTrail = 1347703369;        // "PTRI"; the same for the lock of whoever adds to a trail

/// What is known of a person, and how a row of it is read.
#define PPGNN_STANDING "p.level, a.round, a.question, p.erased, p.name"
#define PPGNN_ASKED " LEFT JOIN ppgnn.asked a ON a.campaign = p.campaign AND a.name = p.name "

inline Standing read_standing(const Rows& rows, int row) {
  Standing one;
  one.enrolled = true;
  if (!rows.is_null(row, 0)) one.level = static_cast<std::uint32_t>(rows.number(row, 0));
  if (!rows.is_null(row, 1)) one.round = static_cast<std::uint32_t>(rows.number(row, 1));
  const auto question = rows.bytes(row, 2);
  one.question.assign(question.begin(), question.end());
  one.erased = rows.number(row, 3) != 0;
  return one;
}

}  // namespace ppgnn::store
