// Not linked: compiled with a quarter of the compilers' default limits for constant evaluation (2^20 steps of clang, 2^25
// operations of g++), so that expressions of users' size stay far from them.
#include <twill/symbolic.hpp>

namespace tw = twill;

// An image of 8 x 64 x 32 x 32 gathered in windows of 3 x 3: the flat index taken apart, moved, gated and put together.
constexpr auto n = tw::var<"n">(0, 73727);
constexpr auto k = tw::var<"k">(0, 63);
constexpr auto batch = n / 9216;
constexpr auto row = n / 288 % 32;
constexpr auto column = n / 9 % 32;
constexpr auto y = row + n / 3 % 3 - 1;
constexpr auto x = column + n % 3 - 1;
constexpr auto inside = (y >= 0) & (y < 32) & (x >= 0) & (x < 32);
constexpr auto address = batch * 65536 + k * 1024 + y * 32 + x;
constexpr auto gated = tw::where(inside, address, 0);

constexpr auto simple = tw::simplify(gated);
static_assert(gated.size > 90 && simple.size < gated.size);

// Digits of a flat index in four mixed radices, put together again.
constexpr auto flat = tw::var<"flat">(0, 2 * 3 * 5 * 7 * 11 - 1);
constexpr auto together = flat / 1155 * 1155 + flat / 385 % 3 * 385 + flat / 77 % 5 * 77 + flat / 11 % 7 * 11 + flat % 11;
static_assert(tw::simplify(together) == flat);
// The other way round, with a sum of products inside each division.
constexpr auto a = tw::var<"a">(0, 15);
constexpr auto b = tw::var<"b">(0, 15);
constexpr auto c = tw::var<"c">(0, 15);
constexpr auto d = tw::var<"d">(0, 15);
constexpr auto sum = a * 4096 + b * 256 + c * 16 + d;
static_assert(tw::simplify(sum / 4096 + sum / 256 % 16 + sum / 16 % 16 + sum % 16) == tw::simplify(a + b + c + d));

int main() {}
