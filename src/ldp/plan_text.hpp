#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ldp/text_reader.hpp"
#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"

/// A plan's canonical text without its last line, and back. docs/formats/plan.md.
namespace ppgnn::ldp {

std::string plan_text(const PlanTables& tables);

/// The lines about columns, and those about a question and its classes, weights as hexadecimal digits; each begins with
/// a line feed. Published models have the same, without leads.
std::string columns_text(const Schema& schema);
std::string model_text(const QuestionModel& model);
std::vector<ColumnGroup> read_columns(TextReader& reader);
QuestionModel read_model(TextReader& reader);

/// Errors  malformed, naming the line. Other spellings of the same plan are not noticed: write it again and compare.
[[nodiscard]] Result<PlanTables> parse_plan_text(std::string_view body);

}  // namespace ppgnn::ldp
