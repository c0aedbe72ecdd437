#include "ppgnn/study/measured.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "ppgnn/simulate/statistics.hpp"
#include "ppgnn/teach/conclusion.hpp"

namespace ppgnn::study {

namespace {

void put(std::map<std::string, double>& metrics, const std::string& name, double value) {
  if (std::isfinite(value)) metrics[name] = value;
}

void put_privacy(const Shared& shared, std::map<std::string, double>& metrics) {
  if (shared.source.perturbation() == nullptr) return;  // clean features: not a budget of 0, none at all
  const simulate::Privacy privacy = shared.source.privacy({&shared.reported.levels, 1});
  put(metrics, "privacy_mean", privacy.mean);
  put(metrics, "privacy_max", privacy.max);
  put(metrics, "privacy_delta", privacy.delta);
  put(metrics, "privacy_holds", privacy.holds ? 1 : 0);
}

void put_test_over_train(const graph::Split& split, std::map<std::string, double>& metrics) {
  put(metrics, "test_over_train", static_cast<double>(split.test.size()) / static_cast<double>(split.train.size()));
}

// How the people of each level fared. Of methods with one budget, levels are none of the record's business.
void put_levels(const Experiment& experiment, const graph::Dataset& dataset, const graph::Split& split,
                std::uint64_t run, std::span<const std::uint32_t> classes, Measured& out) {
  const std::size_t level_count = experiment.level_budgets.size();
  const auto counts = simulate::count_by_level(dataset, levels_of(dataset, experiment, level_count, run), split.test,
                                               classes, level_count);
  out.by_level.resize(level_count);
  for (std::size_t level = 0; level < level_count; ++level) {
    out.by_level[level].judged = counts[level].people;
    out.by_level[level].right = counts[level].right;
  }
  const auto judged = [](const simulate::LevelCount& count) { return count.people > 0; };
  if (experiment.budgets.size() < 2 || std::count_if(counts.begin(), counts.end(), judged) < 2) return;
  for (std::size_t level = 0; level < level_count; ++level) {
    if (!judged(counts[level])) continue;
    put(out.metrics, "level" + std::to_string(level + 1) + ".accuracy", counts[level].right / counts[level].people);
  }
}

// What everybody sent, spent and got of one training.
Everybody everybody_of(const Experiment& experiment, const Shared& shared, const server::Trained& trained) {
  Everybody all;
  all.predictions = trained.predictions;
  all.spent.reserve(shared.reported.levels.size());
  for (const ldp::Level level : shared.reported.levels) {
    all.spent.push_back(shared.source.spent(static_cast<std::uint32_t>(level) - 1));
  }
  if (shared.source.plan()) all.plans.push_back(*shared.source.plan());
  all.network = {experiment.pipeline.training.network,
                 shared.reported.collected.estimates->columns(),
                 shared.data->dataset.num_classes(),
                 trained.parameters,
                 {}};
  all.factor = trained.factor;
  return all;
}

Result<Measured> classify(const Experiment& experiment, const Shared& shared, std::uint64_t run, const Keep& keep,
                          const train::Hooks& hooks) {
  const auto& [data, source, reported, start] = shared;
  Measured out;
  out.levels = reported.levels;
  put_privacy(shared, out.metrics);
  if (keep.fidelity && source.perturbation() != nullptr) {
    const auto near =
        simulate::fidelity(data->problem, reported.collected, data->dataset.features,
                           source.hops(experiment.pipeline.hops), server::training_seed(experiment.noise_seed, run));
    if (!near) return near.error();
    out.fidelity = *near;
  }
  const Result<server::Trained> trained =
      simulate::train_once(data->problem, source, reported, experiment, experiment.pipeline, hooks);
  if (!trained) {
    // The loss was not finite before the first epoch ended: a result of its kind, at the raw scale.
    if (trained.error().code != ErrorCode::diverged) return trained.error();
    out.metrics["failed"] = 1;
    out.failed = trained.error();
    return out;
  }
  const train::Outcome& outcome = trained->outcome;
  if (!outcome.best_epoch) return out;  // stopped before there was any
  put(out.metrics, "validation_accuracy", outcome.validation.accuracy());
  put(out.metrics, "validation_loss", outcome.validation.mean);
  put(out.metrics, "best_epoch", static_cast<double>(*outcome.best_epoch));
  if (trained->scale) put(out.metrics, "scale", *trained->scale);
  if (outcome.end == train::End::failed) put(out.metrics, "diverged", static_cast<double>(outcome.epochs));
  if (run >= kFirstSelectionRun) return out;  // values are chosen without a look at test parts
  out.order = trained->order;
  out.cpu_seconds = trained->cpu_seconds;
  out.epochs = trained->epochs;
  put(out.metrics, "accuracy", outcome.test.accuracy());
  put(out.metrics, "log_loss", outcome.test.mean);
  put_test_over_train(reported.split, out.metrics);
  put_levels(experiment, data->dataset, reported.split, run, trained->predictions.classes, out);
  if (keep.everybody) out.everybody = everybody_of(experiment, shared, *trained);
  return out;
}

// What everybody sent and spent, by level.
void put_spent(const simulate::CampaignStart& start, const std::vector<double>& spent, std::vector<LevelSums>& levels) {
  for (std::size_t person = 0; person < spent.size(); ++person) {
    LevelSums& sums = levels[static_cast<std::uint32_t>(start.levels[person]) - 1];
    ++sums.people;
    sums.reports += spent[person] > 0 ? 1 : 0;
    sums.spent += spent[person];
  }
}

// Of devices that decide: what pilots say, and how people fared who reported and who sent nothing.
void put_home(const simulate::CampaignOutcome& outcome, const graph::Dataset& dataset, const graph::Split& split,
              std::map<std::string, double>& metrics) {
  const teach::Calibration& pilots = outcome.home->calibration;
  put(metrics, "evidence_weight", pilots.weight);
  put(metrics, "pilots", static_cast<double>(pilots.pilots));
  put(metrics, "pilot_outcomes", outcome.home->pilot_outcomes);
  put(metrics, "pilot_lift", pilots.lift);
  put(metrics, "pilot_lift_low", pilots.low);
  put(metrics, "pilot_lift_high", pilots.high);
  put(metrics, "withdrawn", outcome.home->withdrawn ? 1 : 0);
  put(metrics, "impersonal_hints", static_cast<double>(outcome.home->impersonal));
  for (const bool reported : {true, false}) {
    std::vector<std::uint32_t> some;
    for (const graph::NodeId person : split.test) {
      if ((outcome.spent[person] > 0) == reported) some.push_back(person);
    }
    if (some.empty()) continue;
    const teach::Quality quality = teach::quality_of(outcome.beliefs, dataset.labels.span(), some);
    put(metrics, reported ? "reported.accuracy" : "silent.accuracy", quality.accuracy);
    put(metrics, reported ? "reported.log_loss" : "silent.log_loss", quality.log_loss);
  }
}

// What is believed of everybody at the end, against the labels.
void put_beliefs(const teach::Beliefs& beliefs, const Experiment& experiment, const Shared& shared, std::uint64_t run,
                 Measured& out) {
  const graph::Dataset& dataset = shared.data->dataset;
  const graph::Split& split = shared.start->split;
  const auto labels = dataset.labels.span();
  const teach::Quality chosen = teach::quality_of(beliefs, labels, split.validation);
  const teach::Quality judged = teach::quality_of(beliefs, labels, split.test);
  out.levels = shared.start->levels;
  put(out.metrics, "validation_accuracy", chosen.accuracy);
  put(out.metrics, "validation_loss", chosen.log_loss);
  if (run >= kFirstSelectionRun) return;
  put(out.metrics, "accuracy", judged.accuracy);
  put(out.metrics, "log_loss", judged.log_loss);
  put_test_over_train(split, out.metrics);
  put_levels(experiment, dataset, split, run, teach::classes_of(beliefs), out);
}

// Everybody's prediction, with what each person spent: nothing where nobody reports.
void keep_everybody(teach::Beliefs beliefs, std::vector<double> spent, std::vector<ldp::Plan> plans, Measured& out) {
  out.everybody.emplace();
  out.everybody->spent = spent.empty() ? std::vector<double>(beliefs.people(), 0) : std::move(spent);
  out.everybody->predictions = {teach::classes_of(beliefs), std::move(beliefs.values)};
  out.everybody->plans = std::move(plans);
}

// The control: nobody reports anything.
Measured graph_alone(const Experiment& experiment, const Shared& shared, std::uint64_t run, const Keep& keep) {
  const simulate::CampaignStart& start = *shared.start;
  Measured out;
  teach::Beliefs beliefs = teach::calibrated(start.structure, shared.data->dataset.labels.span(), start.split);
  put_beliefs(beliefs, experiment, shared, run, out);
  if (keep.everybody) keep_everybody(std::move(beliefs), {}, {}, out);
  for (const char* metric : {"privacy_mean", "privacy_max", "privacy_delta"}) out.metrics[metric] = 0;
  out.metrics["privacy_holds"] = 1;
  return out;
}

// Without privacy: what graph and labels say, and a network on clean features, weighed by the validation people.
Result<Measured> pooled(const Experiment& experiment, const Shared& shared, std::uint64_t run, const Keep& keep,
                        const train::Hooks& hooks) {
  const StudyData& data = *shared.data;
  const simulate::CampaignStart& start = *shared.start;
  Result<calibrate::Collected> collected = simulate::clean(data.problem, data.dataset.features);
  if (!collected) return collected.error();
  const simulate::Reported reported{run, start.levels, start.split, std::move(collected).value()};
  const Result<server::Trained> trained =
      simulate::train_once(data.problem, {}, reported, experiment, experiment.pipeline, hooks);
  if (!trained) return trained.error();
  const teach::Beliefs network{data.dataset.num_classes(), trained->predictions.probabilities};
  const std::array<const teach::Beliefs*, 2> parts{&start.structure, &network};
  const teach::Pool pool = teach::Pool::fit(parts, data.dataset.labels.span(), start.split.validation, {.5, .5});
  Measured out;
  teach::Beliefs beliefs = pool.apply(parts);
  put_beliefs(beliefs, experiment, shared, run, out);
  if (keep.everybody) keep_everybody(std::move(beliefs), {}, {}, out);
  put(out.metrics, "structure_weight", pool.weights.front());
  put(out.metrics, "features_weight", pool.weights.back());
  if (trained->scale) put(out.metrics, "scale", *trained->scale);
  out.order = trained->order;
  out.cpu_seconds = trained->cpu_seconds;
  out.epochs = trained->epochs;
  return out;
}

Result<Measured> teach_and_ask(const Experiment& experiment, const Shared& shared, std::uint64_t run,
                               const Keep& keep) {
  simulate::CampaignConfig campaign;
  campaign.budgets = experiment.budgets;
  campaign.secrecy = experiment.secrecy;
  if (campaign.secrecy == ldp::LevelSecrecy::protected_level) campaign.level_budget = experiment.level_budget;
  campaign.response = experiment.response;
  campaign.pilots_first = experiment.pilots;
  campaign.liars = experiment.liars;
  campaign.lie = experiment.lie;
  if (!experiment.defence) campaign.teaching.liars = 0;
  campaign.taught = experiment.method->taught;
  campaign.at_home = experiment.method->at_home;
  campaign.hint = experiment.hint;
  campaign.hint_friends = experiment.hint_friends;
  campaign.threads = experiment.threads;
  const graph::Dataset& dataset = shared.data->dataset;
  const simulate::CampaignStart& start = *shared.start;
  Result<simulate::CampaignOutcome> outcome = simulate::play_campaign(dataset, campaign, start, experiment.content);
  if (!outcome) return outcome.error();
  Measured out;
  put_beliefs(outcome->beliefs, experiment, shared, run, out);
  if (run < kFirstSelectionRun) {  // liars' own predictions are wrong by their own doing
    std::vector<std::uint32_t> honest;
    std::copy_if(start.split.test.begin(), start.split.test.end(), std::back_inserter(honest),
                 [&](std::uint32_t person) { return outcome->liars.empty() || !outcome->liars[person]; });
    put(out.metrics, "honest_accuracy", teach::quality_of(outcome->beliefs, dataset.labels.span(), honest).accuracy);
  }
  if (campaign.taught == simulate::Taught::reports) {  // an oracle has no budget at all
    put(out.metrics, "privacy_mean", simulate::mean_of(outcome->spent));
    put(out.metrics, "privacy_max", *std::max_element(outcome->spent.begin(), outcome->spent.end()));
    put(out.metrics, "privacy_delta", 0);
    put(out.metrics, "privacy_holds", 1);  // plans exist only with a certificate that holds
  }
  if (!outcome->tried.empty()) {
    put(out.metrics, "marked_words", static_cast<double>(outcome->marked));
    for (const auto& [name, loss] : outcome->tried) put(out.metrics, name + ".log_loss", loss);
  }
  put(out.metrics, "teachers", static_cast<double>(outcome->teachers));
  put(out.metrics, "answered", static_cast<double>(outcome->answered));
  put(out.metrics, "answers_used", outcome->used ? 1 : 0);
  put(out.metrics, "answers_spread", outcome->spread ? 1 : 0);
  if (outcome->home) put_home(*outcome, dataset, start.split, out.metrics);
  put(out.metrics, "campaign_seconds", outcome->seconds);
  put_spent(start, outcome->spent, out.by_level);
  if (keep.everybody) {
    keep_everybody(std::move(outcome->beliefs), std::move(outcome->spent), std::move(outcome->plans), out);
  }
  return out;
}

Result<Measured> attack(const Experiment& experiment, const Shared& shared, std::uint64_t run) {
  const population::Devices devices{&shared.data->dataset.features, shared.reported.levels, experiment.noise_seed, run,
                                    shared.source.content()};
  Result<attack::AttackResult> attributes =
      attack::infer_attributes(shared.data->dataset, shared.source, devices, experiment.attack);
  if (!attributes) return attributes.error();
  Result<attack::LevelInference> level = attack::infer_levels(shared.data->dataset, shared.source, devices);
  if (!level) return level.error();
  Measured out;
  out.levels = shared.reported.levels;
  put_privacy(shared, out.metrics);
  for (const auto& [name, value] : attributes->metrics()) put(out.metrics, name, value);
  for (const auto& [name, value] : level->metrics()) put(out.metrics, name, value);
  out.attributes = std::move(attributes).value();
  out.level = std::move(level).value();
  return out;
}

}  // namespace

Result<StudyData> study_data(graph::Dataset dataset, bool trained) {
  if (dataset.features.cols() == 0) {
    return Error{ErrorCode::invalid_argument, "data: " + dataset.name + " has no features"};
  }
  StudyData data;
  data.checksum = graph::checksum(dataset);
  data.dataset = simulate::for_research(std::move(dataset));
  if (!trained) return data;
  Result<server::Problem> problem = server::Problem::make(data.dataset);
  if (!problem) return problem.error();
  data.problem = std::move(problem).value();
  return data;
}

Result<Shared> share(const Experiment& experiment, const StudyData& data, std::uint64_t run,
                     const train::Hooks& hooks) {
  if (experiment.method->campaign) {
    Result<simulate::CampaignStart> start = simulate::start_campaign(
        data.dataset, data.problem, experiment, experiment.structure, experiment.level_budgets.size(), run, hooks);
    if (!start) return start.error();
    return Shared{&data, {}, {}, std::move(start).value()};
  }
  Result<simulate::Source> source = simulate::Source::make(data.dataset, experiment);
  if (!source) return source.error();
  Shared shared{&data, std::move(source).value()};
  if (!experiment.trains) {
    shared.reported.run = run;
    shared.reported.levels = simulate::levels_of(data.dataset, experiment, experiment.budgets.size(), run);
    return shared;
  }
  Result<simulate::Reported> reported =
      simulate::report_once(data.dataset, data.problem, shared.source, experiment, run);
  if (!reported) return reported.error();
  shared.reported = std::move(reported).value();
  return shared;
}

Result<Measured> measure_run(const Experiment& experiment, const Shared& shared, std::uint64_t run, const Keep& keep,
                             const train::Hooks& hooks) {
  if (shared.start && experiment.method->pools) return pooled(experiment, shared, run, keep, hooks);
  if (shared.start && experiment.method->is_control()) return graph_alone(experiment, shared, run, keep);
  if (shared.start) return teach_and_ask(experiment, shared, run, keep);
  return experiment.trains ? classify(experiment, shared, run, keep, hooks) : attack(experiment, shared, run);
}

}  // namespace ppgnn::study
