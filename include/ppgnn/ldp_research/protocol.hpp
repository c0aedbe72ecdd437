#pragma once

#include <array>
#include <string_view>

namespace ppgnn::ldp_research {

/// The two protocols, side by side only where they are compared: a device knows the strict one alone.
enum class Protocol {
  strict,  ///< what devices speak
  paper,   ///< as printed, for reproduction only: the level is not protected
};

struct ProtocolRow {
  std::string_view name;
  Protocol protocol;
};
inline constexpr std::array kProtocols{ProtocolRow{"strict", Protocol::strict}, ProtocolRow{"paper", Protocol::paper}};

}  // namespace ppgnn::ldp_research
