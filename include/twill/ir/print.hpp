// Nodes and graphs as text: infix expressions, numbered lists, trees. No recursion, so depth does not matter.
#pragma once

#include "twill/ir/uop.hpp"

namespace twill {

namespace detail {
// The decimal with at most 15 digits that gives v when read back, otherwise C's hexadecimal notation: exact in any case.
constexpr text render_float(scalar_kind k, double v) {
  if (scalar::is_nan(v)) return "nan";
  text out(scalar::is_negative(v) ? "-" : "");
  v = scalar::magnitude(v);
  if (!scalar::is_finite(v)) return out << "inf";
  if (v == 0) return out << "0.0";
  double power = 1;
  for (int places = 0; places <= 22; ++places, power *= 10) {  // powers of ten up to 10^22 are exact
    if (v >= 1e15 / power) break;
    const u64 digits = static_cast<u64>(v * power + 0.5);
    if (digits == 0 || round_to(k, static_cast<double>(digits) / power) != v) continue;
    text all;
    all << digits;
    const int whole = static_cast<int>(all.size()) - places;
    if (whole < -3) return out << all << "e-" << places;
    if (places == 0) return out << all << ".0";
    if (whole <= 0) out << "0.";
    for (int i = whole; i < 0; ++i) out << '0';
    for (int i = 0; i < static_cast<int>(all.size()); ++i) {
      if (i == whole && whole > 0) out << '.';
      out << all[static_cast<size_t>(i)];
    }
    return out;
  }
  const decomposed d = decompose(v);
  u64 fraction = (d.mantissa & ((u64{1} << 52) - 1)) << 12;
  out << "0x1";
  if (fraction != 0) out << '.';
  for (; fraction != 0; fraction <<= 4) out.hex(fraction >> 60);
  out << 'p';
  if (d.exponent + 52 >= 0) out << '+';
  return out << d.exponent + 52;
}
}  // namespace detail

// A constant word of the dtype: true as True, floats as short decimals or in C's hexadecimal notation.
constexpr text render_constant(dtype type, i64 word) {
  if (is_bool(type)) return word != 0 ? "True" : "False";
  if (is_float(type)) return detail::render_float(type.kind, double_of(word));
  text out;
  if (type.kind == scalar_kind::uint64) return out << static_cast<u64>(word);
  return out << word;
}

namespace detail {
constexpr const char* infix(op code) {
  switch (code) {
    case op::IDIV: return "//";
    case op::ADD: case op::SUB: case op::MUL: case op::FDIV: case op::MOD: case op::CMPLT: case op::CMPNE:
    case op::AND: case op::OR: case op::XOR: case op::SHL: case op::SHR: return traits(code).spelling;
    default: return nullptr;
  }
}
constexpr void write_arguments(text& out, uop u, bool comma) {
  for (const i64 word : u.arguments()) {
    if (comma) out << ", ";
    comma = true;
    if (u.is(op::CONST) || u.is(op::VCONST)) out << render_constant(u.type(), word);
    else out << word;
  }
}
// A leaf, or a node that stands for itself in an expression.
constexpr bool write_name(text& out, uop u) {
  if (u.is(op::CONST)) out << render_constant(u.type(), u.argument(0));
  else if (u.is(op::DEFINE_VAR)) out << variable_name(u);
  else if (u.is(op::RANGE)) out << "ridx" << (u.argument_count() > 0 ? u.argument(0) : 0);
  else if (u.is(op::SPECIAL) && u.argument_count() > 1) out << packed_text(u.arguments().subspan(1, u.argument_count() - 1));
  else return false;
  return true;
}
// What stands before operand k of u, or, for k == its number of operands, after the last.
constexpr void write_piece(text& out, uop u, size_t k) {
  const size_t count = u.source_count();
  const bool first = k == 0, last = k == count;
  if (infix(u.code()) != nullptr && count == 2) {
    if (first) out << '(';
    else if (last) out << ')';
    else out << infix(u.code());
    return;
  }
  switch (u.code()) {
    case op::WHERE: out << (first ? "(" : k == 1 ? " if " : k == 2 ? " else " : ")"); return;
    case op::NEG: out << (first ? "(-" : ")"); return;
    case op::RECIP: out << (first ? "(1/" : ")"); return;
    default: break;
  }
  if (first) {
    if (u.is(op::CAST)) out << to_text(u.type());
    else if (is_alu(u.code()) && traits(u.code()).spelling[0] != '\0') out << traits(u.code()).spelling;
    else out << name(u.code());
    if (count != 0 || u.argument_count() != 0) out << '(';
  } else if (!last) {
    out << ", ";
  }
  if (!last || (count == 0 && u.argument_count() == 0)) return;
  write_arguments(out, u, count != 0);
  if (u.is(op::BITCAST)) out << ", " << to_text(u.type());
  out << ')';
}
struct print_frame {
  u32 id;
  u32 next;  // operand
};
}  // namespace detail

// u in infix form: (a+b), (a//b), max(a, b), (x if c else y), float32(a), names of variables, NAME(sources, arguments) for
// what is no arithmetic. Shared nodes are written out at every use; from `limit` characters on operands are "...".
constexpr text render(uop u, size_t limit = 100'000) {
  text out;
  vector<detail::print_frame> stack{{u.id, 0}};
  while (!stack.empty()) {
    const detail::print_frame frame = stack.back();
    const uop at{u.owner, frame.id};
    if (frame.next == 0 && detail::write_name(out, at)) {
      stack.pop_back();
      continue;
    }
    if (frame.next == 0 && out.size() > limit) {
      out << "...";
      stack.pop_back();
      continue;
    }
    detail::write_piece(out, at, frame.next);
    if (frame.next == at.source_count()) {
      stack.pop_back();
      continue;
    }
    ++stack.back().next;
    const size_t operand = at.is(op::WHERE) && frame.next < 2 ? 1 - frame.next : frame.next;  // the condition stands second
    stack.push_back({at.source(operand).id, 0});
  }
  return out;
}

namespace detail {
constexpr void pad_to(text& out, size_t column) {
  do out << ' ';
  while (out.size() < column);
}
constexpr void write_detail(text& out, uop u) {
  if (u.is(op::DEFINE_VAR)) out << variable_name(u) << " in [" << u.argument(0) << ", " << u.argument(1) << ']';
  else if (u.is(op::RANGE) && u.argument_count() >= 3)
    out << "ridx" << u.argument(0) << " in [" << u.argument(1) << ", " << u.argument(2) << ')';
  else if (u.argument_count() == 0) return;
  else if (!write_name(out, u)) write_arguments(out, u, false);
}
constexpr text list_nodes(const uop* nodes, size_t count, span<const u32> number) {
  text out;
  for (size_t i = 0; i < count; ++i) {
    const uop u = nodes[i];
    text row;
    for (size_t power = 1000; power > 1 && i < power; power /= 10) row << ' ';
    row << i << ' ' << name(u.code());
    pad_to(row, 22);
    row << to_text(u.type());
    pad_to(row, 36);
    row << '[';
    for (size_t s = 0; s < u.source_count(); ++s) {
      if (s != 0) row << ", ";
      row << number[u.source(s).id];
    }
    row << ']';
    if (u.argument_count() != 0) {
      pad_to(row, 52);
      write_detail(row, u);
    }
    out << row << '\n';
  }
  return out;
}
}  // namespace detail

// A line for every node: number, op, dtype, numbers of the sources, arguments. Of a whole graph, or of what a root needs.
constexpr text print_uops(graph& g) {
  vector<uop> nodes;
  vector<u32> number;
  for (u32 id = 0; id < g.size(); ++id) {
    nodes.push_back({&g, id});
    number.push_back(id);
  }
  return detail::list_nodes(nodes.data(), nodes.size(), number);
}
constexpr text print_uops(uop root) {
  vector<uop> nodes;
  vector<u32> number(root.id + 1, u32{0});
  for (const u32 id : toposort(root)) {
    number[id] = static_cast<u32>(nodes.size());
    nodes.push_back({root.owner, id});
  }
  return detail::list_nodes(nodes.data(), nodes.size(), number);
}

// root with its sources indented below it. A node with sources that was written already is only named by its number.
constexpr text tree(uop root) {
  constexpr u32 deepest = 40;  // deeper nodes are not indented further but begin with their depth
  text out;
  vector<u32> number(root.id + 1, u32{0});
  vector<detail::print_frame> stack{{root.id, 0}};  // next: depth
  u32 count = 0;
  while (!stack.empty()) {
    const detail::print_frame frame = stack.back();
    const uop u{root.owner, frame.id};
    stack.pop_back();
    for (u32 i = 0; i < frame.next && i < deepest; ++i) out << "  ";
    if (frame.next > deepest) out << '(' << frame.next << ") ";
    if (number[frame.id] != 0) {
      out << '%' << number[frame.id] << '\n';
      continue;
    }
    if (u.source_count() != 0) {
      number[frame.id] = ++count;
      out << '%' << count << ' ';
    }
    out << name(u.code()) << ' ' << to_text(u.type());
    if (u.argument_count() != 0) {
      out << ' ';
      detail::write_detail(out, u);
    }
    out << '\n';
    for (size_t i = u.source_count(); i-- > 0;) stack.push_back({u.source(i).id, frame.next + 1});
  }
  return out;
}

}  // namespace twill
