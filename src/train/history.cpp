#include "ppgnn/train/history.hpp"

#include <array>
#include <string_view>

#include "ppgnn/core/number.hpp"

namespace ppgnn::train {
namespace {

struct Column {
  std::string_view name;
  double EpochRecord::*field;
};

constexpr std::array<Column, 4> kColumns{{{"train_loss", &EpochRecord::train_loss},
                                          {"train_accuracy", &EpochRecord::train_accuracy},
                                          {"validation_loss", &EpochRecord::validation_loss},
                                          {"validation_accuracy", &EpochRecord::validation_accuracy}}};

}  // namespace

std::string history_csv(std::span<const EpochRecord> history) {
  std::string text = "epoch";
  for (const Column& column : kColumns) text.append(",").append(column.name);
  text += '\n';
  for (const EpochRecord& record : history) {
    text += std::to_string(record.epoch);
    for (const Column& column : kColumns) text.append(",").append(format_number(record.*column.field));
    text += '\n';
  }
  return text;
}

std::string history_json(std::span<const EpochRecord> history) {
  std::string text = "[";
  for (const EpochRecord& record : history) {
    text.append(text.size() > 1 ? ",\n{\"epoch\":" : "{\"epoch\":").append(std::to_string(record.epoch));
    for (const Column& column : kColumns) {
      text.append(",\"").append(column.name).append("\":").append(format_number(record.*column.field));
    }
    text += '}';
  }
  return text + "]\n";
}

}  // namespace ppgnn::train
