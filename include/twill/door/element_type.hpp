// The C++ type of a dtype's elements.
#pragma once

#include "twill/ir/dtype.hpp"

namespace twill {

namespace detail {
template <scalar_kind Kind>
constexpr auto element_of() {
  if constexpr (Kind == scalar_kind::bool_) return bool{};
  else if constexpr (Kind == scalar_kind::int8) return i8{};
  else if constexpr (Kind == scalar_kind::uint8) return u8{};
  else if constexpr (Kind == scalar_kind::int16) return i16{};
  else if constexpr (Kind == scalar_kind::uint16) return u16{};
  else if constexpr (Kind == scalar_kind::int32) return i32{};
  else if constexpr (Kind == scalar_kind::uint32) return u32{};
  else if constexpr (Kind == scalar_kind::int64) return i64{};
  else if constexpr (Kind == scalar_kind::uint64) return u64{};
  else if constexpr (Kind == scalar_kind::float32) return float{};
  else if constexpr (Kind == scalar_kind::float64) return double{};
}
}  // namespace detail

template <scalar_kind Kind>
using element_type = decltype(detail::element_of<Kind>());

}  // namespace twill
