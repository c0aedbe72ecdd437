#pragma once

#include <string_view>

/// Every sentence that a participant reads, in one table: a translation replaces the texts here and nothing else. A place is
/// "{}", in the order that the comment says, or "{0}", "{1}", ... where another language has another order. What fills them
/// is public, apart from `ledger`; errors are for programs, which go by their codes.
namespace ppgnn::ldp::messages {

// What a device sends, and what that tells: words_for.
/// level, content, what is sent besides, factor, surer
inline constexpr std::string_view kLevel =
    "Level {}. Your device sends {}{}. Somebody who sees it, even knowing your level, becomes surer about your "
    "features by "
    "a factor of {} on the odds at most: {}. ";
inline constexpr std::string_view kNoisyLevel = ", and your level, also with noise";
inline constexpr std::string_view kLevelSent = "Your level is sent along: everybody who sees the report knows it.";
/// surer
inline constexpr std::string_view kLevelHidden = "About your level, somebody who already knows your features goes {}.";
/// budget, spent
inline constexpr std::string_view kRest = " Of your budget of {}, {} is used.";
/// percent, rest of it
inline constexpr std::string_view kSurer = "from 50:50 to at most {}:{}";
inline constexpr std::string_view kCertain = "from 50:50 to near certainty";

// What else somebody must know: notes_on.
/// level, nats, factor
inline constexpr std::string_view kMuch = "level {} spends {}: odds may change {}-fold; above 10, private says little";
/// levels
inline constexpr std::string_view kCappedPublic =
    "level {}: less is spent than the budget allows; no report of these columns says more";
inline constexpr std::string_view kCapped =
    "level {}: less is spent than the budget allows; more would give the level away";
inline constexpr std::string_view kInTheClear = "the level travels with the report in the clear";
inline constexpr std::string_view kAddsUp =
    "the bounds hold for one report; k reports of one person add up to k times as much";
inline constexpr std::string_view kFriends =
    "the graph and the labels are public to the server, and friends' reports also say something about a person";
inline constexpr std::string_view kTimePublic = "time and size of a report depend on the level, which it states";
/// what time depends on
inline constexpr std::string_view kTimeHidden = "time and size of a report do not depend on the level{}";
inline constexpr std::string_view kTimeFeatures = "; time depends on how many features a person has";
inline constexpr std::string_view kTimeClass = " or on the class";

// What kinds of reports are.
inline constexpr std::string_view kColumns =
    "Features are the columns of the plan: what the application may ask your device about you.";
/// columns
inline constexpr std::string_view kSignsTitle = "signs of features, {} columns";
/// sampled, columns
inline constexpr std::string_view kSigns = "{} of {} features, picked by chance, as noisy yes or no";
/// classes
inline constexpr std::string_view kClassTitle = "one class of {}";
inline constexpr std::string_view kClass = "one class of {}, which chance may have replaced";
/// outcomes, columns
inline constexpr std::string_view kBucketTitle = "one bucket of {}, {} columns";
inline constexpr std::string_view kDirectionTitle = "one direction of {}, {} columns";
/// outcomes, favoured
inline constexpr std::string_view kNumber =
    "one number between 1 and {}: {} of them stand for your features, and chance may send another";
/// sent, outcomes, favoured
inline constexpr std::string_view kNumbers =
    "{} numbers between 1 and {}: {} of them stand for your features, and chance may send another";
/// outcomes, columns
inline constexpr std::string_view kAnswerTitle = "one answer of {}, about {} columns";
/// outcomes
inline constexpr std::string_view kAnswer = "one of {} answers to one question, which chance may have replaced";

// A question.
inline constexpr std::string_view kAnyQuestion =
    "The server chooses the question. It may be any question about your features; what your device sends is bounded "
    "whatever the question is.";
/// classes
inline constexpr std::string_view kQuestion = "Your device answers one question: do your features speak more for {}?";
inline constexpr std::string_view kClearQuestion =
    "Your device answers one question: do your features speak more for {}, and how clearly?";
inline constexpr std::string_view kAnd = ", ";
inline constexpr std::string_view kOr = " or for ";
inline constexpr std::string_view kFused = " It adds what the server says that it knows from the graph.";
inline constexpr std::string_view kNoColumn = " No column weighs in it.";
/// names of columns
inline constexpr std::string_view kOneColumn = " 1 column weighs in it: {}.";
/// how many, names
inline constexpr std::string_view kFewColumns = " {} columns weigh in it: {}.";
inline constexpr std::string_view kManyColumns = " {} columns weigh in it, any of which may decide; most: {}.";

// The ledger, before something is spent. Private: not for a log.
/// reports, nats so far, nats with this one, surer, about the level
inline constexpr std::string_view kLedger =
    "Reports so far: {}, for {} nats. With this one, all of them tell {} nats about your features, {}, and about your "
    "level "
    "{}.";
/// nats, surer
inline constexpr std::string_view kLedgerLevel = "{} nats, {}";
inline constexpr std::string_view kLedgerLevelSent = "everything: it is sent along";
/// reports, nats so far
inline constexpr std::string_view kLedgerReported =
    "Reports so far: {}, for {} nats. This campaign has its report and gets no other: nothing is added.";
/// nats counted, nats at most, reports, reports at most
inline constexpr std::string_view kLimits =
    " Your limits count each report at its plan's most relaxed level. So far, nats: {} of {}; reports: {} of {}.";
inline constexpr std::string_view kNoLimit = "any number";

}  // namespace ppgnn::ldp::messages
