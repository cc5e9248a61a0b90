// Every operation and cast of every dtype on edge values, with scalars and with vectors, against the interpreter.
#include "catch.hpp"
#include "exec/inline_check.hpp"

using namespace samples;

template <scalar_kind K, int Lanes>
struct operations {
  static constexpr sample make() {
    if (is_float(K)) return float_ops(K, Lanes);
    sample s = integer_ops(K, Lanes);
    for (instruction& i : s.code.instructions)
      if (i.code == op::CONST) i.argument[0] = wrap(K, i.argument[0]);
    return s;
  }
};
template <scalar_kind K, int Lanes>
struct casts_of { static constexpr sample make() { return casts(K, Lanes); } };
template <int Lanes>
struct bitcasts_of { static constexpr sample make() { return bitcasts(Lanes); } };

TEST_CASE("inline: operations on scalars") {
  for_every_kind([]<scalar_kind K>() { check<frozen<operations<K, 1>>>(4); });
}
TEST_CASE("inline: operations on vectors") {
  for_every_kind([]<scalar_kind K>() { check<frozen<operations<K, 8>>>(4); });
}
TEST_CASE("inline: casts of scalars") {
  for_every_kind([]<scalar_kind K>() { check<frozen<casts_of<K, 1>>>(); });
}
TEST_CASE("inline: casts of vectors") {
  for_every_kind([]<scalar_kind K>() { check<frozen<casts_of<K, 8>>>(); });
}
TEST_CASE("inline: bitcasts") {
  check<frozen<bitcasts_of<1>>>();
  check<frozen<bitcasts_of<8>>>();
}
