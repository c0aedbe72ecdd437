#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ppgnn/client/client.hpp"

/// What a C program holds.
struct ppgnn_client {
  ppgnn::client::Client client;
  std::optional<ppgnn::client::Ledger> ledger{};
  std::array<char, 512> error{};

  /// Keeps an error's sentence and gives its code.
  int fail(const ppgnn::Error& why) noexcept;
  int fail(int code, std::string_view why) noexcept;
};

namespace ppgnn::client {

/// The features a C program hands over; nothing where the form is none or memory is missing.
[[nodiscard]] std::optional<ldp::Row> row_of(const ppgnn_features* features) noexcept;

/// Copies a result out as the header says: PPGNN_TOO_SMALL, and the size, where there is no room.
[[nodiscard]] int put_bytes(std::span<const std::uint8_t> bytes, std::uint8_t* buffer, std::size_t capacity,
                            std::size_t* size) noexcept;

}  // namespace ppgnn::client
