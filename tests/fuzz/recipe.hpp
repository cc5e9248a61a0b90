// An expression outside any graph: what is left when a failing case shrinks, and what is printed as C++.
#pragma once

#include "fuzz/choices.hpp"
#include "twill/ir/print.hpp"

namespace fuzz {

using twill::graph;
using twill::op;
using twill::text;
using twill::uop;
using twill::vector;

struct cell {
  op code = op::NULL_OP;
  twill::dtype type{};
  u32 sources[4]{};  // places of earlier cells
  u32 count = 0;
  i64 first = 0, second = 0;  // a constant's word; a variable's range
  char name = 'a';
  vector<i64, 4> lanes{};  // a vector constant's words; lanes that GEP takes
};

// Cells in order, the root last.
struct recipe {
  vector<cell> cells;

  static recipe of(uop root) {
    recipe out;
    vector<u32> place(root.id + twill::size_t{1}, 0u);
    for (const u32 id : twill::toposort(root)) {
      const uop u{root.owner, id};
      cell c{u.code(), u.type(), {}, static_cast<u32>(u.source_count()), 0, 0, 'a', {}};
      for (u32 i = 0; i < c.count && i < 4; ++i) c.sources[i] = place[u.source(i).id];
      if (u.argument_count() > 0) c.first = u.argument(0);
      if (u.is(op::VCONST) || u.is(op::GEP)) c.lanes.append(u.arguments());
      if (u.is(op::DEFINE_VAR)) {
        c.second = u.argument(1);
        c.name = twill::variable_name(u)[0];
      }
      place[id] = static_cast<u32>(out.cells.size());
      out.cells.push_back(c);
    }
    return out;
  }
  uop build(graph& g) const {
    vector<u32> ids;
    for (const cell& c : cells) {
      u32 sources[4]{};
      for (u32 i = 0; i < c.count; ++i) sources[i] = ids[c.sources[i]];
      if (c.code == op::DEFINE_VAR) {
        const char name[2] = {c.name, '\0'};
        ids.push_back(g.var(name, c.first, c.second, c.type).id);
      } else if (c.code == op::CONST) {
        ids.push_back(g.intern(c.code, c.type, {}, {&c.first, 1}));
      } else {
        ids.push_back(g.intern(c.code, c.type, {sources, c.count}, c.lanes));
      }
    }
    return {&g, ids.back()};
  }
  // Without the cells that `root` does not need.
  recipe from(u32 root) const {
    vector<u8> wanted(root + twill::size_t{1}, u8{0});
    wanted[root] = 1;
    for (u32 i = root + 1; i-- > 0;)
      if (wanted[i])
        for (u32 s = 0; s < cells[i].count; ++s) wanted[cells[i].sources[s]] = 1;
    recipe out;
    vector<u32> place(root + twill::size_t{1}, 0u);
    for (u32 i = 0; i <= root; ++i) {
      if (!wanted[i]) continue;
      cell c = cells[i];
      for (u32 s = 0; s < c.count; ++s) c.sources[s] = place[c.sources[s]];
      place[i] = static_cast<u32>(out.cells.size());
      out.cells.push_back(c);
    }
    return out;
  }
};

// Where the rules come from if they are not the library's: a header, and an expression that is a subject.
struct origin {
  const char* header = "";
  const char* rules = "";
};

namespace detail {
inline void write_number(text& out, i64 value) {
  if (value == twill::min_value(twill::scalar_kind::int64)) out << "-9223372036854775807 - 1";
  else out << value;
}
inline void write_type(text& out, twill::dtype t) {
  out << "tw::" << twill::name(t.kind) << (twill::is_bool(t) ? "_" : "");
  if (t.lanes != 1) out << ".with_lanes(" << t.lanes << ')';
}
}  // namespace detail

// A program that builds the expression and exits with 0 where all holds of it. words: the values of its variables that
// showed the fault.
inline text to_cpp(const recipe& r, twill::span<const i64> words, origin from = {}) {
  text out;
  out << "#include \"fuzz/check.hpp\"\n";
  if (from.header[0] != '\0') out << "#include \"" << from.header << "\"\n";
  out << "\nnamespace tw = twill;\n\nint main() {\n  tw::graph g;\n";
  const auto place = [&](u32 i) {
    text name;
    if (r.cells[i].code == op::DEFINE_VAR) name << r.cells[i].name;
    else name << 'n' << i;
    return name;
  };
  for (u32 i = 0; i < r.cells.size(); ++i) {
    const cell& c = r.cells[i];
    out << "  const tw::uop " << place(i) << " = ";
    if (c.code == op::DEFINE_VAR) {
      out << "g.var(\"" << c.name << "\", ";
      detail::write_number(out, c.first);
      out << ", ";
      detail::write_number(out, c.second);
      out << ", ";
      detail::write_type(out, c.type);
      out << ");\n";
    } else if (c.code == op::CONST) {
      out << "g.constant(";
      detail::write_type(out, c.type);
      out << ", ";
      if (twill::is_float(c.type)) {
        out << "tw::double_of(";
        detail::write_number(out, c.first);
        out << "));  // " << twill::render_constant(c.type, c.first) << '\n';
      } else {
        out << "tw::i64{";
        detail::write_number(out, c.first);
        out << "});\n";
      }
    } else {
      out << "g.make(tw::op::" << twill::name(c.code) << ", ";
      detail::write_type(out, c.type);
      out << ", std::initializer_list<tw::uop>{";
      for (u32 s = 0; s < c.count; ++s) out << (s == 0 ? "" : ", ") << place(c.sources[s]);
      out << '}';
      for (twill::size_t s = 0; s < c.lanes.size(); ++s) {
        out << (s == 0 ? ", tw::vector<tw::i64>{" : ", ");
        detail::write_number(out, c.lanes[s]);
      }
      out << (c.lanes.empty() ? ");\n" : "});\n");
    }
  }
  out << "  return fuzz::replay(" << place(static_cast<u32>(r.cells.size()) - 1) << ", {";
  for (twill::size_t i = 0; i < words.size(); ++i) {
    out << (i == 0 ? "" : ", ");
    detail::write_number(out, words[i]);
  }
  out << '}';
  if (from.rules[0] != '\0') out << ", " << from.rules;
  return out << ");\n}\n";
}

}  // namespace fuzz
