// Heat in a plate: each step, a point moves toward the mean of its four neighbours; the rim is held at zero. Shifts are
// shrunk and padded views: the step is one fused loop over the plate, without copies. Checked against a plain loop.
#include <twill/array.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace tw = twill;

namespace {

constexpr int rows = 40, columns = 50, steps = 100;
using plate = tw::array<float, rows, columns>;

// u with each element taken from the neighbour in one direction; zeros come in at the rim.
constexpr auto from_above = [](const auto& u) { return tw::pad<tw::pads{{1, 0}}>(tw::shrink<tw::pads{{0, rows - 1}, {0, columns}}>(u)); };
constexpr auto from_below = [](const auto& u) { return tw::pad<tw::pads{{0, 1}}>(tw::shrink<tw::pads{{1, rows}, {0, columns}}>(u)); };
constexpr auto from_left = [](const auto& u) { return tw::pad<tw::pads{{0, 0}, {1, 0}}>(tw::shrink<tw::pads{{0, rows}, {0, columns - 1}}>(u)); };
constexpr auto from_right = [](const auto& u) { return tw::pad<tw::pads{{0, 0}, {0, 1}}>(tw::shrink<tw::pads{{0, rows}, {1, columns}}>(u)); };

constexpr auto step = [](const auto& u, float rate) {
  return u + (from_above(u) + from_below(u) + from_left(u) + from_right(u) - u * 4.0f) * rate;
};

// The same, written out.
void plain_step(const plate& u, plate& next, float rate) {
  const auto at = [&](int i, int j) { return i < 0 || i >= rows || j < 0 || j >= columns ? 0.0f : u(i, j); };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      next(i, j) = u(i, j) + (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - u(i, j) * 4.0f) * rate;
}

}  // namespace

int main() {
  plate u, v, next;
  u(rows / 2, columns / 2) = v(rows / 2, columns / 2) = 1000;
  for (int t = 0; t < steps; ++t) {
    next = step(u, 0.2f);  // u = step(u, …) would be an alias_error: neighbours are read after they are written
    u = next;
    plain_step(v, next, 0.2f);
    v = next;
  }
  float worst = 0, total = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      worst = std::max(worst, std::abs(u(i, j) - v(i, j)));
      total += u(i, j);
    }
  std::cout << "after " << steps << " steps " << total << " of 1000 is left, " << u(rows / 2, columns / 2) << " in the middle; the plain loop differs by "
            << worst << '\n';
  return worst < 1e-3f && total > 900 && total < 1000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
