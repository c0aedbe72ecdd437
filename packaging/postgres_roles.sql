-- Least rights for a campaign in PostgreSQL (docs/postgres.md). Run once per database, after the first command made the schema, as a superuser:
--   psql -d spring -f postgres_roles.sql
-- Then give each login one of both: GRANT ppgnn_collector TO collector1; GRANT ppgnn_steps TO analyst;
DO $$ BEGIN
  IF to_regrole('ppgnn_collector') IS NULL THEN CREATE ROLE ppgnn_collector NOLOGIN; END IF;
  IF to_regrole('ppgnn_steps') IS NULL THEN CREATE ROLE ppgnn_steps NOLOGIN; END IF;
END $$;

-- The collector takes reports, erases and closes rounds. It enrols nobody, publishes nothing and reads no predictions.
GRANT USAGE ON SCHEMA ppgnn TO ppgnn_collector;
GRANT SELECT ON ppgnn.form, ppgnn.rounds, ppgnn.progress, ppgnn.enrolled, ppgnn.people, ppgnn.asked, ppgnn.reports, ppgnn.kept, ppgnn.hints TO ppgnn_collector;
GRANT SELECT (id, name, split, generation, erasures, concluded, archived, removed), UPDATE (generation, erasures) ON ppgnn.campaign TO ppgnn_collector;
GRANT INSERT, UPDATE (bytes, receipt) ON ppgnn.reports TO ppgnn_collector;
GRANT UPDATE (level, erased) ON ppgnn.people TO ppgnn_collector;
GRANT UPDATE (question) ON ppgnn.asked TO ppgnn_collector;
GRANT UPDATE (hint) ON ppgnn.hints TO ppgnn_collector;
GRANT UPDATE (open, reports) ON ppgnn.progress TO ppgnn_collector;
GRANT USAGE ON SEQUENCE ppgnn.groups TO ppgnn_collector;
-- What was done can be added to and read, by nobody changed. Asking for a step is adding a row.
GRANT SELECT, INSERT ON ppgnn.trail, ppgnn.work TO ppgnn_collector;

-- Steps (campaign start, enrol, campaign ask, train) write rounds, people and predictions besides. Nobody deletes, truncates or drops.
GRANT ppgnn_collector TO ppgnn_steps;
GRANT SELECT, INSERT, UPDATE (predictions, concluded) ON ppgnn.campaign TO ppgnn_steps;
GRANT INSERT ON ppgnn.rounds, ppgnn.progress, ppgnn.people, ppgnn.asked, ppgnn.kept, ppgnn.hints TO ppgnn_steps;
GRANT UPDATE (text) ON ppgnn.kept TO ppgnn_steps;
GRANT INSERT, UPDATE (people) ON ppgnn.enrolled TO ppgnn_steps;
GRANT UPDATE (archived) ON ppgnn.campaign TO ppgnn_steps;
GRANT UPDATE (state, progress, told) ON ppgnn.work TO ppgnn_steps;
