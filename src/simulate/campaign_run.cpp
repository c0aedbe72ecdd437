#include "ppgnn/simulate/campaign_run.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace ppgnn::simulate {

namespace {

// What is played in a run, in this order.
enum Arm : std::size_t { kControl, kProtected, kPublic, kNonprivate };
constexpr std::size_t kCampaigns = 3;

// One level of one run.
struct LevelSums {
  double people = 0;  // in all
  double reports = 0;
  double spent = 0;
  double judged = 0;
  double right = 0;
};

struct ArmRun {
  teach::Quality quality;
  std::vector<LevelSums> levels;
  double max_spent = 0;
  bool used = false;
  double seconds = 0;
};

struct OneRun {
  std::array<ArmRun, kCampaigns + 1> arms;
  double test_over_train = 1;
};

ArmRun judged(const graph::Dataset& dataset, const CampaignStart& start, const CampaignOutcome& outcome,
              std::size_t levels) {
  const auto labels = dataset.labels.span();
  ArmRun arm{teach::quality_of(outcome.beliefs, labels, start.split.test), std::vector<LevelSums>(levels), 0,
             outcome.used, outcome.seconds};
  const auto at = [&](std::uint32_t person) -> LevelSums& {
    return arm.levels[static_cast<std::uint32_t>(start.levels[person]) - 1];
  };
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    LevelSums& sums = at(person);
    ++sums.people;
    sums.reports += outcome.spent[person] > 0 ? 1 : 0;
    sums.spent += outcome.spent[person];
    arm.max_spent = std::max(arm.max_spent, outcome.spent[person]);
  }
  const auto counts =
      count_by_level(dataset, start.levels, start.split.test, teach::classes_of(outcome.beliefs), levels);
  for (std::size_t level = 0; level < levels; ++level) {
    arm.levels[level].judged = counts[level].people;
    arm.levels[level].right = counts[level].right;
  }
  return arm;
}

Result<OneRun> run_once(const graph::Dataset& dataset, const server::Problem& problem, const Source& clean,
                        const CampaignRunConfig& config, std::uint64_t run, const std::function<void()>& part_done) {
  const std::size_t levels = config.campaign.budgets.size();
  Result<CampaignStart> start = start_campaign(dataset, problem, config, config.structure, levels, run);
  if (!start) return start.error();
  part_done();
  OneRun one;
  one.test_over_train = static_cast<double>(start->split.test.size()) / static_cast<double>(start->split.train.size());
  for (std::size_t arm = 0; arm < kCampaigns; ++arm) {
    CampaignConfig campaign = config.campaign;
    campaign.secrecy = arm == kProtected ? ldp::LevelSecrecy::protected_level : ldp::LevelSecrecy::public_level;
    if (arm != kProtected) campaign.level_budget.reset();
    const Result<CampaignOutcome> outcome = play_campaign(
        dataset, campaign, *start, arm == kControl ? population::Content::nothing : population::Content::features);
    if (!outcome) return outcome.error();
    one.arms[arm] = judged(dataset, *start, *outcome, levels);
    part_done();
  }
  if (!config.nonprivate) return one;
  const Result<Reported> reported = report_once(dataset, problem, clean, config, run);
  if (!reported) return reported.error();
  const Result<server::Trained> trained = train_once(problem, clean, *reported, config, config.pipeline, {});
  if (!trained) return trained.error();
  one.arms[kNonprivate].quality = {trained->outcome.test.accuracy(), trained->outcome.test.mean};
  part_done();
  return one;
}

CampaignSeries series_of(const std::vector<OneRun>& runs, Arm arm, std::uint64_t seed) {
  CampaignSeries made;
  std::vector<double> control_accuracy;
  std::vector<double> control_loss;
  for (const OneRun& run : runs) {
    made.series.accuracy.push_back(run.arms[arm].quality.accuracy);
    made.series.log_loss.push_back(run.arms[arm].quality.log_loss);
    control_accuracy.push_back(run.arms[kControl].quality.accuracy);
    control_loss.push_back(run.arms[kControl].quality.log_loss);
    made.max_spent = std::max(made.max_spent, run.arms[arm].max_spent);
    made.used += (run.arms[arm].used ? 1.0 : 0.0) / static_cast<double>(runs.size());
  }
  made.series.interval = bootstrap(made.series.accuracy, seed);
  made.series.mean_log_loss = mean_of(made.series.log_loss);
  if (arm == kControl) return made;
  const double ratio = runs.front().test_over_train;
  const PairedTest points = corrected_resampled_t(made.series.accuracy, control_accuracy, ratio);
  const PairedTest nats = corrected_resampled_t(control_loss, made.series.log_loss, ratio);
  made.lift = {100 * points.difference, points.p_value, nats.difference, nats.p_value};
  double people = 0;
  for (std::size_t level = 0; level < runs.front().arms[arm].levels.size(); ++level) {
    LevelSums sums;
    for (const OneRun& run : runs) {
      const LevelSums& own = run.arms[arm].levels[level];
      sums.people += own.people;
      sums.reports += own.reports;
      sums.spent += own.spent;
      sums.judged += own.judged;
      sums.right += own.right;
    }
    made.levels.push_back({sums.spent / std::max(1.0, sums.reports), sums.reports / std::max(1.0, sums.people),
                           sums.right / std::max(1.0, sums.judged)});
    made.mean_spent += sums.spent;
    people += sums.people;
  }
  made.mean_spent /= std::max(1.0, people);
  return made;
}

}  // namespace

Result<CampaignRunResult> run_campaigns(const graph::Dataset& original, const CampaignRunConfig& config,
                                        const std::function<void(double done, double total)>& progress) {
  RunConfig checked;
  static_cast<DrawConfig&>(checked) = config;
  checked.budgets = config.campaign.budgets;
  checked.runs = config.runs;
  if (Result<void> valid = check(original, checked); !valid) return valid.error();
  const graph::Dataset dataset = for_research(original);
  const Result<server::Problem> problem = server::Problem::make(dataset);
  if (!problem) return problem.error();
  SourceConfig open;
  open.method = Method::nonpriv;
  const Result<Source> clean = Source::make(dataset, open);
  if (!clean) return clean.error();

  std::vector<OneRun> runs(config.runs);
  std::vector<std::optional<Error>> errors(config.runs);
  std::mutex mutex;
  double done = 0;
  const double parts =
      static_cast<double>(config.runs) * static_cast<double>(1 + kCampaigns + (config.nonprivate ? 1 : 0));
  const auto part_done = [&] {
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, parts);
  };
  kernels::Threads(config.threads).for_each(config.runs, [&](std::size_t run) {
    Result<OneRun> one = run_once(dataset, *problem, *clean, config, run, part_done);
    if (!one) {
      errors[run] = one.error();
    } else {
      runs[run] = std::move(one).value();
    }
  });
  for (const std::optional<Error>& error : errors) {
    if (error) return *error;
  }

  CampaignRunResult result;
  result.control = series_of(runs, kControl, config.split_seed);
  result.protected_levels = series_of(runs, kProtected, config.split_seed);
  result.public_levels = series_of(runs, kPublic, config.split_seed);
  if (config.nonprivate) result.nonprivate = series_of(runs, kNonprivate, config.split_seed);
  for (std::size_t level = 0; level < config.campaign.budgets.size(); ++level) {
    double people = 0;
    double right = 0;
    for (const OneRun& run : runs) {
      people += run.arms[kControl].levels[level].judged;
      right += run.arms[kControl].levels[level].right;
    }
    result.people.push_back(static_cast<std::uint64_t>(people));
    result.control_by_level.push_back(right / std::max(1.0, people));
  }
  for (const OneRun& run : runs) result.seconds += run.arms[kPublic].seconds / static_cast<double>(runs.size());
  result.notes = dataset.notes;
  return result;
}

}  // namespace ppgnn::simulate
