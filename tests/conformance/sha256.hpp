// SHA-256 (FIPS 180-4): the corpus chooses cases by the hash of their ids.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace conformance {

std::array<std::uint32_t, 8> sha256(std::string_view text);

}  // namespace conformance
