// The README's symbolic expressions and views.
// README
#include <twill/shape.hpp>
#include <twill/symbolic.hpp>

namespace tw = twill;

constexpr auto i = tw::var<"i">(0, 31), j = tw::var<"j">(0, 63);
static_assert(tw::simplify((i * 64 + j) / 64) == i);
static_assert(tw::simplify(i * 64 + j < 2048) == true);

constexpr tw::shapetracker st{4, 8};
static_assert(st.permute(1, 0).strides() == tw::strides(1, 8));
static_assert(st.permute(1, 0).reshape(32).view_count() == 2);                     // not one strided view
static_assert(st.pad({{0, 0}, {1, 1}}).shrink({{0, 4}, {1, 9}}) == st);             // the mask is gone again
// end README

int main() {}
