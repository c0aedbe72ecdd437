// ppgnn forecast: what a campaign would give, before anybody reports.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "budget_options.hpp"
#include "campaign_options.hpp"
#include "command.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/version.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/plot/plot.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/teach/forecast.hpp"
#include "run_options.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

constexpr std::array kBudgetFactors{.5, 1.0, 2.0, 4.0};
constexpr double kLeastPeople = 100;
constexpr const char* kHome = "home";
constexpr const char* kWhichToChoose =
    "Choose decisions at home where a person's own device is what needs to know; answers where the server must know.";

struct ForecastOptions {
  DataChoice data;
  BudgetChoice budgets;
  std::uint64_t people = 20000;
  double labelled = .75;
  std::uint64_t columns = 256;
  std::uint64_t classes = 4;
  double graph_accuracy = .8;
  double feature_accuracy = 0;
  double response = 1;
  double lift = 1;
  std::uint64_t seed = 0;
  std::string method = kHome;
  std::string pilots;
  std::string figure;
  bool json = false;
  CLI::Option *data_option = nullptr, *people_option = nullptr, *labelled_option = nullptr, *columns_option = nullptr,
              *classes_option = nullptr, *graph_option = nullptr, *features_option = nullptr;
};

// What is known before anybody reports, given or measured from graph and labels.
struct Known {
  double people = 0;
  teach::ForecastRequest request;
  teach::Beliefs believed;
};

// A campaign's lift for some people at some budgets.
struct Place {
  std::vector<double> budgets;
  double people = 0;
  teach::Forecast forecast;
};

Result<void> check_useful(const ForecastOptions& options) {
  if (options.budgets.gamma_option->count() > 0) return invalid("--gamma: has no meaning in a campaign");
  if (options.data_option->count() == 0) return {};
  for (const CLI::Option* option : {options.labelled_option, options.classes_option, options.graph_option}) {
    if (option->count() > 0) return invalid(option->get_name() + ": has no meaning with --data, which says it");
  }
  return {};
}

Result<Known> imagined(const ForecastOptions& options) {
  Known known;
  known.people = static_cast<double>(options.people);
  known.request.labelled = options.labelled;
  Result<teach::Beliefs> beliefs = teach::imagined_beliefs(options.classes, options.graph_accuracy);
  if (!beliefs) return beliefs.error();
  known.believed = std::move(beliefs).value();
  return known;
}

// Graph and labels of a data set, by the first split of a run with this seed; never its features.
Result<Known> measured(const ForecastOptions& options) {
  const Result<graph::Dataset> dataset = options.data.load(graph::MissingFeatures::accept);
  if (!dataset) return dataset.error();
  print_notes(*dataset);
  Known known;
  if (options.columns_option->count() == 0) {
    if (dataset->features.cols() == 0) return invalid("--columns: is needed, the data has no features");
    Result<std::vector<ldp::ColumnGroup>> columns = population::columns_of(dataset->features.schema());
    if (!columns) return columns.error();
    known.request.columns = std::move(columns).value();
  }
  const Result<graph::Split> split = graph::make_split(*dataset, options.seed, 0);
  if (!split) return split.error();
  const StructureChoice structure{.seed = options.seed};
  const Result<teach::Beliefs> beliefs = structure.of(*dataset)(*split);
  if (!beliefs) return beliefs.error();
  const auto all = static_cast<double>(dataset->num_nodes());
  known.people = options.people_option->count() > 0 ? static_cast<double>(options.people) : all;
  known.request.labelled = static_cast<double>(split->train.size() + split->validation.size()) / all;
  known.believed = teach::beliefs_to_ask(*beliefs, dataset->labels.span(), *split);
  return known;
}

// What pilots gained: nats, and the ends of the interval.
Result<teach::Expected> pilots_lift(const std::string& text) {
  std::array<double, 3> numbers{};
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto number = parse_number(std::string_view(text).substr(at, end - at));
    if (!number || count == numbers.size()) break;
    numbers[count++] = *number;
    at = end + 1;
    if (end == text.size() && count == numbers.size() && numbers[1] <= numbers[0] && numbers[0] <= numbers[2]) {
      return teach::Expected{numbers[0], numbers[1], numbers[2]};
    }
  }
  return invalid("--pilots: must be LIFT,LOW,HIGH in nats, LIFT between the others, but is '" + text + "'");
}

Result<Known> known_of(const ForecastOptions& options) {
  Result<Known> known = options.data_option->count() > 0 ? measured(options) : imagined(options);
  if (!known) return known;
  teach::ForecastRequest& request = known->request;
  if (request.columns.empty()) {
    if (options.columns < 1 || options.columns > ldp::kMaxColumns) return invalid("--columns: must be at least 1");
    request.columns = {ldp::ColumnGroup{.name = "column", .count = static_cast<std::uint32_t>(options.columns)}};
  }
  Result<std::vector<double>> budgets = options.budgets.list();
  if (!budgets) return budgets.error();
  request.budgets = std::move(budgets).value();
  if (options.budgets.level_public) request.secrecy = ldp::LevelSecrecy::public_level;
  if (options.budgets.level_budget_option->count() > 0) request.level_budget = options.budgets.level_budget;
  request.response = options.response;
  if (options.data.name.starts_with(graph::kSocialName)) {
    const Result<graph::SocialOptions> knobs = graph::parse_social(options.data.name);
    if (!knobs) return knobs.error();
    request.features = teach::FeatureAssumptions::generated(*knobs);
  }
  if (options.features_option->count() > 0) {
    Result<teach::FeatureAssumptions> features =
        request.features.right_about(options.feature_accuracy, known->believed.classes);
    if (!features) return features.error();
    request.features = *features;
  }
  if (!options.pilots.empty()) {
    const Result<teach::Expected> said = pilots_lift(options.pilots);
    if (!said) return said.error();
    request.at_home = true;
    const Result<teach::Forecaster> forecaster = teach::Forecaster::make(request, known->believed);
    if (!forecaster) return forecaster.error();
    request.features = forecaster->as_pilots_say(known->people, *said);
  }
  return known;
}

// Over people, from a sixteenth to sixty-four times as many, and budgets, from half to four times as large.
Result<std::vector<Place>> curve_of(const Known& known, Progress& progress) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < kBudgetFactors.size(); ++i) {
    progress.update(static_cast<double>(i), static_cast<double>(kBudgetFactors.size()));
    teach::ForecastRequest request = known.request;
    for (double& budget : request.budgets) budget *= kBudgetFactors[i];
    if (request.budgets.front() < ldp::kMinBudget || request.budgets.back() > ldp::kMaxBudget) continue;
    const Result<teach::Forecaster> forecaster = teach::Forecaster::make(request, known.believed);
    if (!forecaster) return forecaster.error();
    for (int step = -2; step <= 3; ++step) {
      const double people = std::max(kLeastPeople, known.people * std::pow(4, step));
      if (places.empty() || places.back().people != people) {
        places.push_back({request.budgets, people, forecaster->at(people)});
      }
    }
  }
  return places;
}

// One way to hold the campaign.
struct Way {
  teach::Forecast forecast;
  std::vector<Place> curve;
  std::optional<double> needed;
  double most = 0;  // points, however many people take part
};

Result<Way> foresee(const ForecastOptions& options, Known known, bool at_home, Progress& progress) {
  known.request.at_home = at_home;
  Result<teach::Forecaster> forecaster = teach::Forecaster::make(known.request, known.believed);
  if (!forecaster) return forecaster.error();
  Result<std::vector<Place>> curve = curve_of(known, progress);
  if (!curve) return curve.error();
  Way way{forecaster->at(known.people), std::move(curve).value(), {}, forecaster->most_points()};
  if (known.request.features.known) way.needed = forecaster->people_for(options.lift);
  return way;
}

std::string show_budgets(const std::vector<double>& budgets) {
  const auto show = [](double budget) { return fmt::format("{:.3g}", budget); };
  return budgets.size() == 1 ? show(budgets[0]) : show(budgets.front()) + " to " + show(budgets.back());
}

Result<void> draw(const ForecastOptions& options, const std::vector<Place>& places) {
  std::vector<plot::CurveLine> lines;
  for (const Place& place : places) {
    const std::string name = "budgets " + show_budgets(place.budgets);
    if (lines.empty() || lines.back().name != name) lines.push_back({name, {}});
    const teach::Expected& points = place.forecast.points;
    lines.back().places.push_back({place.people, points.value, points.low, points.high});
  }
  const std::string on = options.data_option->count() > 0 ? " on " + options.data.name : "";
  const std::string title = fmt::format("forecast{}, {}, levels {}", on, options.method == kHome ? "home" : "answers",
                                        options.budgets.level_public ? "public" : "protected");
  return plot::draw_svg(plot::make_curves(title, "people", "lift over the graph alone (points)", lines),
                        options.figure);
}

// A number as people say it: two digits count.
std::string roughly(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, number))) - 1));
  return fmt::format("{:.0f}", std::ceil(number / unit) * unit);
}

std::string sentence_of(const ForecastOptions& options, const Known& known, const Way& way, bool at_home) {
  const std::string wanted = fmt::format("{:.3g} {}", options.lift, options.lift == 1 ? "point" : "points");
  const char* who = at_home ? "Decided at home" : "People answer";
  if (way.needed)
    return fmt::format("{}: you need about {} people for a lift of {}.", who, roughly(*way.needed), wanted);
  if (way.most < options.lift) {
    return fmt::format(
        "{}: do not bother, the graph alone gives as much. However many people take part, these budgets add "
        "{:.2f} points at most, not {}{}.",
        who, std::max(0.0, way.most), wanted, known.request.features.known ? "" : ", whatever features are worth");
  }
  return fmt::format(
      "{}: nobody can say how many people a lift of {} takes before it is known what features are worth.", who, wanted);
}

// Without knowledge of features there is no value, only what it lies between.
ordered_json to_json(const teach::Expected& expected, bool known) {
  return {{"value", known ? ordered_json(expected.value) : ordered_json(nullptr)},
          {"low", expected.low},
          {"high", expected.high}};
}

ordered_json to_json(const ForecastOptions& options, const Known& known, const Way& way, bool at_home) {
  const bool sure = known.request.features.known;
  const teach::Forecast& forecast = way.forecast;
  ordered_json json;
  json["teacher"] = {{"teachers", forecast.teachers},
                     {"information", forecast.information},
                     {"accuracy", sure ? ordered_json(forecast.taught) : ordered_json(nullptr)},
                     {"accuracy_taught_clean", sure ? ordered_json(forecast.taught_clean) : ordered_json(nullptr)}};
  if (!at_home) json["asked"] = forecast.asked;
  json["lift"] = {{"points", to_json(forecast.points, sure)}, {"nats", to_json(forecast.nats, sure)}};
  json["curve"] = ordered_json::array();
  for (const Place& place : way.curve) {
    json["curve"].push_back({{"budgets", place.budgets},
                             {"people", place.people},
                             {"points", to_json(place.forecast.points, sure)},
                             {"nats", to_json(place.forecast.nats, sure)}});
  }
  json["people_needed"] = {{"lift", options.lift},
                           {"people", way.needed ? ordered_json(std::ceil(*way.needed)) : ordered_json(nullptr)},
                           {"most_points", way.most}};
  json["sentence"] = sentence_of(options, known, way, at_home);
  return json;
}

ordered_json settings_of(const ForecastOptions& options, const Known& known) {
  const teach::ForecastRequest& request = known.request;
  std::uint64_t columns = 0;
  for (const ldp::ColumnGroup& group : request.columns) columns += group.count;
  const bool is_public = request.secrecy == ldp::LevelSecrecy::public_level;
  const bool sure = request.features.known;
  return {{"data", options.data_option->count() > 0 ? ordered_json(options.data.name) : ordered_json(nullptr)},
          {"people", known.people},
          {"labelled", request.labelled},
          {"columns", columns},
          {"classes", known.believed.classes},
          {"budgets", request.budgets},
          {"levels", is_public ? "public" : "protected"},
          {"response", request.response},
          {"features_known", sure},
          {"separability", sure ? ordered_json(request.features.separability) : ordered_json(nullptr)},
          {"separability_doubt", request.features.doubt}};
}

std::string show(const teach::Expected& expected, bool known, int digits) {
  const double least = std::pow(10, -digits) / 2;  // no "-0.00"
  const auto one = [&](double value) { return fmt::format("{:.{}f}", std::abs(value) < least ? 0 : value, digits); };
  if (!known) return fmt::format("between {} and {}", one(expected.low), one(expected.high));
  return fmt::format("{}{}  [{}, {}]", expected.value < 0 ? "" : "+", one(expected.value), one(expected.low),
                     one(expected.high));
}

void print_curve(const std::vector<Place>& curve) {
  fmt::print("  {:<16}", "points by people");
  const std::vector<double>& first = curve.front().budgets;
  for (const Place& place : curve) {
    if (place.budgets == first) fmt::print(" {:>8}", roughly(place.people));
  }
  const std::vector<double>* row = nullptr;
  for (const Place& place : curve) {
    if (row == nullptr || *row != place.budgets) fmt::print("\n  {:<16}", "at " + show_budgets(place.budgets));
    row = &place.budgets;
    fmt::print(" {:>+8.2f}", place.forecast.points.value);
  }
  fmt::print("\n\n");
}

void print_table(const ForecastOptions& options, const Known& known, const Way& answers, const Way& home) {
  const bool is_public = known.request.secrecy == ldp::LevelSecrecy::public_level;
  const bool sure = known.request.features.known;
  const std::string on = options.data_option->count() > 0 ? " on " + options.data.name : "";
  fmt::print("forecast{}: {:.0f} people, {:.0f}% labelled, {} classes; levels {}, budgets {}\n\n", on, known.people,
             100 * known.request.labelled, known.believed.classes, is_public ? "public" : "protected",
             show_budgets(known.request.budgets));
  const auto line = [](std::string_view what, std::string_view first, std::string_view second) {
    fmt::print("  {:<32} {:<24}{}{}\n", what, first, second.empty() ? "" : "  ", second);
  };
  line("graph alone", fmt::format("{:.1f}%{}", 100 * answers.forecast.control.accuracy, on.empty() ? ", supposed" : ""),
       "");
  if (sure)
    line("features alone, taught clean", fmt::format("{:.1f}%, supposed", 100 * home.forecast.taught_clean), "");
  line("", "people answer", "decided at home");
  if (sure) {
    line("features alone, as taught", fmt::format("{:.1f}%", 100 * answers.forecast.taught),
         fmt::format("{:.1f}%", 100 * home.forecast.taught));
  }
  line("asked, of people without a label", fmt::format("{:.0f}%", 100 * answers.forecast.asked), "nobody");
  line("lift, points", show(answers.forecast.points, sure, 2), show(home.forecast.points, sure, 2));
  line("lift, nats of log-loss", show(answers.forecast.nats, sure, 3), show(home.forecast.nats, sure, 3));
  fmt::print("\n");
  if (sure) {
    fmt::print("  {}:\n", options.method == kHome ? "decided at home" : "people answer");
    print_curve(options.method == kHome ? home.curve : answers.curve);
  } else {
    fmt::print(
        "Nobody knows yet what features are worth. --feature-accuracy (from a survey, or a network like yours) makes "
        "a\n"
        "forecast of it; --pilots does once pilots have reported.\n\n");
  }
}

Status forecast_with(const ForecastOptions& options) {
  if (const Result<void> useful = check_useful(options); !useful) return fail(useful.error());
  const std::vector<NamedFile> outputs{{"--figure", options.figure}};
  if (Result<void> apart = check_apart({}, outputs); !apart) return fail(apart.error());
  if (options.data_option->count() > 0) {
    if (Result<void> apart = options.data.check_apart(outputs); !apart) return fail(apart.error());
  }
  const Result<Known> known = known_of(options);
  if (!known) return fail(known.error());
  if (!options.figure.empty() && !known->request.features.known) {
    return fail(invalid("--figure: needs to know what features are worth, by --feature-accuracy or --pilots"));
  }
  Progress progress("forecasts");
  const Result<Way> answers = foresee(options, *known, false, progress);
  if (!answers) return fail(answers.error());
  const Result<Way> home = foresee(options, *known, true, progress);
  if (!home) return fail(home.error());
  if (!options.figure.empty()) {
    const Way& drawn = options.method == kHome ? *home : *answers;
    if (Result<void> done = draw(options, drawn.curve); !done) return fail(done.error());
  }
  if (!options.json) {
    print_table(options, *known, *answers, *home);
    fmt::print("{}\n{}\n{}\n", sentence_of(options, *known, *home, true), sentence_of(options, *known, *answers, false),
               kWhichToChoose);
    return Status::success;
  }
  ordered_json json{
      {"settings", settings_of(options, *known)},
      {"control",
       {{"accuracy", answers->forecast.control.accuracy}, {"log_loss", answers->forecast.control.log_loss}}}};
  json.update(to_json(options, *known, *answers, false));
  json["home"] = to_json(options, *known, *home, true);
  json["choose"] = kWhichToChoose;
  json["figure"] = options.figure.empty() ? ordered_json(nullptr) : ordered_json(options.figure);
  json["seed"] = options.seed;
  json["version"] = version();
  print_json(json);
  return Status::success;
}

}  // namespace

void add_forecast(CLI::App& app, Action& action) {
  auto options = std::make_shared<ForecastOptions>();
  CLI::App* forecast = app.add_subcommand("forecast", "Say what private features would add, before anybody reports");
  options->data.name.clear();
  options->data_option = options->data.add_to(*forecast);
  options->data_option->description(
      "A published data set, a path, or synthetic:social[,knob=value...]: its graph and labels are measured, its "
      "features are not looked at (default: none)");
  options->people_option = forecast->add_option("--people", options->people, "People (default: those of --data)")
                               ->default_str("20000, or those of --data");
  options->labelled_option =
      forecast->add_option("--labelled", options->labelled, "Share of people whose class is known, above 0, below 1")
          ->capture_default_str();
  options->columns_option =
      forecast->add_option("--columns", options->columns, "Columns that devices hold, yes or no each")
          ->default_str("256, or those of --data");
  options->classes_option = forecast->add_option("--classes", options->classes, "Classes, 2 to 256")
                                ->check(CLI::Range(2, 256))
                                ->capture_default_str();
  options->graph_option =
      forecast->add_option("--graph-accuracy", options->graph_accuracy, "How often graph and labels alone are right")
          ->capture_default_str();
  options->features_option = forecast->add_option(
      "--feature-accuracy", options->feature_accuracy,
      "How often a model taught by clean features would be right, without the graph (default: nobody knows)");
  forecast
      ->add_option("--pilots", options->pilots,
                   "What pilots say that features add for them, once they have reported: LIFT,LOW,HIGH in nats")
      ->excludes(options->features_option);
  options->budgets.add_to(*forecast);
  forecast->add_option("--response", options->response, "Share of those asked who report, 0 to 1")
      ->capture_default_str();
  forecast->add_option("--lift", options->lift, "Points of accuracy that would be worth it, above 0")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  forecast->add_option("--seed", options->seed, "Of the split by which --data is measured")->capture_default_str();
  whole_numbers(*forecast, {{"--people", 1000000000}, {"--columns", ldp::kMaxColumns}, "--classes", "--seed"});
  forecast
      ->add_option("--method", options->method,
                   "What --figure and the table by people show: home (devices decide) or teach (people answer)")
      ->transform(one_of({kHome, "teach"}))
      ->capture_default_str();
  forecast->add_option("--figure", options->figure, "SVG file to write: lift by people and budgets; needs gnuplot");
  forecast->add_flag("--json", options->json, "Print one JSON object");
  forecast->footer(
      "Examples:\n"
      "  ppgnn forecast --people 50000 --columns 1000 --classes 5 --epsilon 1 --feature-accuracy .7\n"
      "  ppgnn forecast --people 8000 --graph-accuracy .8 --pilots .1,.02,.18\n"
      "  ppgnn forecast --people 2000 --graph-accuracy .9 --budgets .5 --lift .5 --json\n"
      "  ppgnn forecast --data synthetic:social,nodes=200 --level-public --response .6 --figure forecast.svg");
  forecast->callback([options, &action] { action = [options] { return forecast_with(*options); }; });
}

}  // namespace ppgnn::app
