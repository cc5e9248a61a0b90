#include "evaluator.hpp"

#include <iterator>

#include "twill/base/error.hpp"
#include "twill/ir/arithmetic.hpp"
#include "twill/ir/print.hpp"

namespace conformance {

using namespace twill;

namespace {
bool is_variable(uop u) { return u.is(op::DEFINE_VAR) || u.is(op::SPECIAL) || u.is(op::RANGE); }
}  // namespace

std::vector<variable> variables_of(const std::vector<uop>& roots) {
  std::vector<variable> out;
  if (roots.empty()) return out;
  std::vector<u32> ids;
  for (const uop& root : roots) ids.push_back(root.id);
  for (const u32 id : toposort(*roots[0].owner, {ids.data(), ids.size()})) {
    const uop u{roots[0].owner, id};
    if (is_variable(u)) out.push_back({std::string(render(u).c_str()), u});
  }
  return out;
}

size_t find_variable(const std::vector<variable>& variables, const std::string& name) {
  size_t at = 0;
  while (at < variables.size() && variables[at].name != name) ++at;
  return at;
}

namespace {
i64 random_integer(uop u, std::mt19937_64& random) {
  const u64 lo = static_cast<u64>(u.lo()), width = static_cast<u64>(u.hi()) - lo;
  switch (random() % 8) {
    case 0: return u.lo();
    case 1: return u.hi();
    default: return static_cast<i64>(lo + (width == ~u64{0} ? random() : random() % (width + 1)));
  }
}
i64 random_float(scalar_kind k, std::mt19937_64& random) {
  constexpr double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, scalar::infinity, -scalar::infinity, scalar::quiet_nan};
  const u64 choice = random() % 4;
  if (choice == 0) return word_of(special[random() % std::size(special)]);
  if (choice == 1) return word_of_raw_bits(k, random() >> (64 - bit_width(k)));
  const double value = static_cast<double>(static_cast<i64>(random())) * 0x1p-60;
  return word_of(round_to(k, value));
}
}  // namespace

std::vector<i64> random_point(const std::vector<variable>& variables, std::mt19937_64& random) {
  std::vector<i64> out;
  for (const variable& v : variables)
    out.push_back(is_float(v.node.type()) ? random_float(v.node.type().kind, random) : random_integer(v.node, random));
  return out;
}

evaluator::evaluator(uop root, const std::vector<variable>& variables) {
  std::vector<size_t> place(root.id + 1);
  for (const u32 id : toposort(root)) {
    const uop u{root.owner, id};
    step s{u, values_.size(), no_variable, {}};
    for (size_t i = 0; i < variables.size(); ++i)
      if (variables[i].node == u) s.variable = i;
    if (is_variable(u) && s.variable == no_variable) raise<argument_error>(text("no value for ") << render(u));
    const bool has_value = is_variable(u) || is_alu(u.code()) || u.is(op::CONST) || u.is(op::VCONST) || u.is(op::CAST) ||
                           u.is(op::BITCAST) || u.is(op::GEP) || u.is(op::VECTORIZE);
    if (!has_value) raise<argument_error>(text(name(u.code())) << " has no value without memory");
    if (s.variable == no_variable)
      for (size_t i = 0; i < u.source_count(); ++i) s.sources.push_back(place[u.source(i).id]);
    place[id] = s.first_lane;
    values_.resize(values_.size() + u.type().lanes);
    steps_.push_back(std::move(s));
  }
  result_.resize(root.type().lanes);
}

void evaluator::run(const step& s) {
  const uop u = s.node;
  for (size_t lane = 0; lane < u.type().lanes; ++lane) {
    i64& out = values_[s.first_lane + lane];
    switch (u.code()) {
      case op::CONST: out = u.argument(0); break;
      case op::VCONST: out = u.argument(lane); break;
      case op::GEP: out = values_[s.sources[0] + static_cast<size_t>(u.argument(lane))]; break;
      case op::VECTORIZE: out = values_[s.sources[lane]]; break;
      default: {
        i64 words[3]{};
        for (size_t i = 0; i < s.sources.size(); ++i) words[i] = values_[s.sources[i] + (u.source(i).type().lanes == 1 ? 0 : lane)];
        if (u.is(op::MAX) && is_float(u.type()) && (scalar::is_nan(double_of(words[0])) || scalar::is_nan(double_of(words[1]))))
          met_nan_in_max_ = true;
        out = exec_alu(u.code(), u.type(), u.source(0).type(), {words, s.sources.size()});
      }
    }
  }
}

const std::vector<i64>& evaluator::operator()(const std::vector<i64>& point) {
  met_nan_in_max_ = false;
  for (const step& s : steps_) {
    if (s.variable == no_variable)
      run(s);
    else
      values_[s.first_lane] = point[s.variable];
  }
  const step& root = steps_.back();
  for (size_t lane = 0; lane < result_.size(); ++lane) result_[lane] = values_[root.first_lane + lane];
  return result_;
}

}  // namespace conformance
