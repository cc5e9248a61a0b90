// The value of an expression for given values of its variables.
#pragma once

#include "twill/base/error.hpp"
#include "twill/ir/print.hpp"
#include "twill/ir/uop.hpp"

namespace twill {

struct binding {
  text_view name;
  i64 value;
};
// A constant of a dtype as in ir/constant.hpp.
struct constant_value {
  dtype type;
  i64 word = 0;
  constexpr i64 integer() const { return cast_word(is_unsigned(type) ? scalar_kind::uint64 : scalar_kind::int64, type.kind, word); }
  constexpr double number() const { return double_of(cast_word(scalar_kind::float64, type.kind, word)); }
};

// Every variable of root must be bound (a RANGE as ridx0, a SPECIAL by its name), to a value that is cast to its dtype;
// names that root does not mention are ignored.
constexpr constant_value evaluate_constant(uop root, span<const binding> bindings) {
  const graph& g = *root.owner;
  vector<i64> value(root.id + 1);
  for (const u32 id : toposort(root)) {
    const node& n = g.at(id);
    const span<const u32> sources = g.sources(id);
    switch (n.code) {
      case op::CONST: value[id] = g.argument(id, 0); continue;
      case op::DEFINE_VAR: case op::RANGE: case op::SPECIAL: {
        const text name = render(uop(root.owner, id));
        size_t found = bindings.size();
        for (size_t i = 0; i < bindings.size(); ++i)
          if (name == bindings[i].name) found = i;
        if (found == bindings.size()) raise<argument_error>(text("evaluate: no value for ") << name);
        value[id] = cast_word(n.type.kind, scalar_kind::int64, bindings[found].value);
        continue;
      }
      case op::BIND: value[id] = value[sources[1]]; continue;
      case op::CONTIGUOUS: case op::CONTIGUOUS_BACKWARD: case op::DETACH: value[id] = value[sources[0]]; continue;
      default: break;
    }
    if (!is_alu(n.code) && n.code != op::CAST && n.code != op::BITCAST)
      raise<argument_error>(text("evaluate: ") << name(n.code) << " has no value without memory");
    i64 words[3]{};
    for (size_t i = 0; i < sources.size() && i < 3; ++i) words[i] = value[sources[i]];
    value[id] = exec_alu(n.code, n.type, g.at(sources[0]).type, {words, sources.size()});
  }
  return {root.type(), value[root.id]};
}
constexpr i64 evaluate(uop root, span<const binding> bindings = {}) { return evaluate_constant(root, bindings).integer(); }

}  // namespace twill
