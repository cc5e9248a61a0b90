#include "points.hpp"

#include <iterator>
#include <random>

#include "numbers.hpp"

namespace conformance {

using namespace twill;

namespace {
constexpr size_t small_domain = 64, random_count = 32;

// 0 where there are more points than a small domain has.
size_t domain_size(const std::vector<variable>& variables) {
  u64 size = 1;
  for (const variable& v : variables) {
    const u64 width = static_cast<u64>(v.node.hi()) - static_cast<u64>(v.node.lo());
    if (is_float(v.node.type()) || width >= small_domain) return 0;
    size *= width + 1;
    if (size > small_domain) return 0;
  }
  return static_cast<size_t>(size);
}
}  // namespace

std::vector<i64> sampled_point(const std::vector<variable>& variables, const json& names, const json& values) {
  std::vector<i64> out;
  for (const variable& v : variables) out.push_back(v.node.lo());
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t place = find_variable(variables, names[i].string());
    if (place < variables.size()) out[place] = read_word(values[i], variables[place].node.type().kind);
  }
  return out;
}

std::vector<std::vector<i64>> points_of(const std::vector<variable>& variables, const std::string& id) {
  std::vector<std::vector<i64>> out;
  const size_t size = domain_size(variables);
  for (size_t n = 0; n < size; ++n) {
    std::vector<i64> point;
    u64 rest = n;
    for (const variable& v : variables) {
      const u64 width = static_cast<u64>(v.node.hi()) - static_cast<u64>(v.node.lo()) + 1;
      point.push_back(static_cast<i64>(static_cast<u64>(v.node.lo()) + rest % width));
      rest /= width;
    }
    out.push_back(std::move(point));
  }
  std::seed_seq seed(id.begin(), id.end());
  std::mt19937_64 random(seed);
  while (size == 0 && out.size() < random_count) out.push_back(random_point(variables, random));
  return out;
}

std::vector<std::vector<i64>> special_points(const std::vector<variable>& variables) {
  constexpr double special[] = {0.0, -0.0, 1.0, -3.0, 1e30, -1e30, 0x1p-149, scalar::infinity, -scalar::infinity, scalar::quiet_nan};
  constexpr size_t count = std::size(special);
  std::vector<std::vector<i64>> out;
  for (size_t n = 0; n < count * count * count; ++n) {
    std::vector<i64> point;
    size_t rest = n;
    for (const variable& v : variables) {
      const dtype type = v.node.type();
      point.push_back(is_float(type) ? word_of(round_to(type.kind, special[rest % count])) : rest % 2 == 0 ? v.node.lo() : v.node.hi());
      rest /= count;
    }
    if (rest == 0) out.push_back(std::move(point));
  }
  return out;
}

std::string shown_point(const std::vector<variable>& variables, const std::vector<i64>& point) {
  std::string out(" at {");
  for (size_t i = 0; i < point.size(); ++i)
    out += (i == 0 ? "" : ", ") + variables[i].name + ": " + written(variables[i].node.type().kind, point[i]);
  return out + '}';
}

}  // namespace conformance
